// A new user's first hour with the command line, as separate processes against a real server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURES } from '@cairn/protocol/procedures';
import { describe, expect, it } from 'vitest';
import { verifies } from './spec/verifies.ts';
import { settingsOf, startCairn, startProcess, startServerProcess, testFolder } from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';

const LISTENING = /is at (\S+) .*?link; it works once:\s+(\S+)/s;

async function setUp(engine: (typeof UPPER_ENGINES)[number]) {
  const server = startServerProcess({
    PORT: '0',
    CAIRN_LOG_LEVEL: 'silent',
    ...settingsOf(await testLocation(engine)),
  });
  const [, url = '', link = ''] = await server.printed(LISTENING);
  const run = async (args: string[], environment: Record<string, string>, input = '') => {
    const command = startCairn(args, { CAIRN_URL: url, ...environment });
    command.child.stdin?.end(input);
    const { code } = await command.ended();
    return { code, output: command.output() };
  };
  const folder = testFolder();
  const made = await run(
    ['--format', 'jsonl', 'setup', '--code', link, '--email', 'ada@example.com', '--password-stdin'],
    { CAIRN_CONFIG: join(folder, 'profiles.json') },
    'a password of some length',
  );
  const { token } = JSON.parse(made.output.split('\n')[0] ?? '{}') as { token: string };
  return { url, token, folder, run };
}

type Run = Awaited<ReturnType<typeof setUp>>['run'];

/** Each `--json` output matches the documented answer of the procedure behind the command. */
function commandsOf(run: Run, environment: Record<string, string>) {
  return async (procedure: ProcedureName, ...args: string[]) => {
    const { code, output } = await run(['--json', ...args], environment);
    expect({ args, code, output: code === 0 ? '' : output }).toEqual({ args, code: 0, output: '' });
    return PROCEDURES[procedure].output.parse(JSON.parse(output)) as never;
  };
}

describe.each(UPPER_ENGINES)('a new user on %s', (engine) => {
  it(verifies('does a first hour of work by the command line', '4.6/shapes-cli', '4.6/writes-cli'), async () => {
    const { token, folder, run } = await setUp(engine);
    const environment = { CAIRN_TOKEN: token, CAIRN_REPO: 'acme/world' };
    const cairn = commandsOf(run, environment);
    await cairn('org.create', 'org', 'create', 'acme');
    expect(await cairn('repo.create', 'repo', 'create', 'acme/world')).toMatchObject({ visibility: 'private' });
    await cairn(
      'shape.create',
      'shape',
      'create',
      'Room',
      '--fields',
      '{"label":{"type":"string","minLength":1,"maxLength":40}}',
    );
    await cairn(
      'shape.create',
      'shape',
      'create',
      'Sensor',
      '--fields',
      '{"code":{"type":"string","pattern":"^[A-Z]{2}[0-9]+$"},"score":{"type":"number","minimum":0,"maximum":1,"indexed":true}}',
    );
    await cairn(
      'shape.create',
      'shape',
      'create',
      'Ticket',
      '--fields',
      '{"status":{"type":"string","enum":["open","done"]},"tags?":["string"]}',
      '--description',
      'Things to do',
    );
    const lines = Array.from({ length: 1_000 }, (_, n) =>
      JSON.stringify({ name: `Sensor/s${n}`, data: { code: `AB${n}`, score: n / 1_000 } }),
    );
    writeFileSync(join(folder, 'sensors.jsonl'), `${lines.join('\n')}\n`);
    expect(
      await cairn(
        'commit.submit',
        'commit',
        'submit',
        '--file',
        join(folder, 'sensors.jsonl'),
        '--message',
        'All sensors',
      ),
    ).toMatchObject({ repoSeq: 4, partial: false });
    await cairn(
      'commit.submit',
      'commit',
      'submit',
      '--revise',
      'Sensor/s7',
      '--data',
      '{"code":"AB7","score":1}',
      '--expected-version',
      '1',
    );
    await cairn('commit.submit', 'commit', 'submit', '--retract', 'Sensor/s8', '--reason', 'broken');
    expect(await cairn('thing.get', 'thing', 'get', 'Sensor/s7')).toMatchObject({ version: 2, data: { score: 1 } });
    expect(await cairn('thing.history', 'thing', 'history', 'Sensor/s7')).toMatchObject({
      items: [{ version: 2 }, { version: 1 }],
    });
    expect(await cairn('commit.log', 'commit', 'log')).toMatchObject({
      items: [{ repoSeq: 6 }, { repoSeq: 5 }, { message: 'All sensors', operationCount: 1_000 }, {}, {}, {}],
    });
    expect(await cairn('shape.get', 'shape', 'view', 'Sensor')).toMatchObject({
      indexes: [{ path: '/score', state: 'ready' }],
    });
    await cairn('shape.list', 'shape', 'list');
    await cairn('commit.get', 'commit', 'get', '4');
    const refused = await run(['commit', 'submit', '--add', 'Ticket/t', '--data', '{"status":"lost"}'], environment);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('/status') });
    expect((await run(['thing', 'get', 'Sensor/s8'], environment)).code).toBe(4);
    expect(
      (
        await run(
          [
            'commit',
            'submit',
            '--revise',
            'Sensor/s7',
            '--data',
            '{"code":"AB7","score":0}',
            '--expected-version',
            '1',
          ],
          environment,
        )
      ).code,
    ).toBe(5);
  });

  it.runIf(IS_LONG)('relates records, renames one, and reads both names', async () => {
    const { token, run } = await setUp(engine);
    const environment = { CAIRN_TOKEN: token, CAIRN_REPO: 'ada/world' };
    const cairn = commandsOf(run, environment);
    await cairn('repo.create', 'repo', 'create', 'ada/world');
    await cairn('shape.create', 'shape', 'create', 'Location', '--fields', '{"x":"number"}');
    await cairn('shape.create', 'shape', 'create', 'Belief', '--fields', '{"safe":"boolean","seenFrom?":"wref"}');
    const places = ['cave', 'hut'].map((name, x) => ({ name: `Location/${name}`, data: { x } }));
    await cairn('commit.submit', 'commit', 'submit', '--ops', JSON.stringify(places));
    const about = ['--about', 'Location/cave', '--data', '{"safe":true,"seenFrom":"Location/hut"}'];
    expect(await cairn('commit.submit', 'assertion', 'add', 'Belief/safe', ...about)).toMatchObject({
      repoSeq: 4,
      operations: [{ kind: 'assertion' }],
    });
    const members = ['--member', 'Location/cave', '--member', 'Location/hut'];
    await cairn('commit.submit', 'collection', 'add', '--type', 'arc', '--name', 'way', ...members);
    expect(await cairn('commit.submit', 'collection', 'add', '--type', 'set', ...members)).toMatchObject({
      operations: [{ kind: 'collection', name: expect.stringMatching(/^Set\/[0-9a-f]{32}$/) }],
    });
    expect(await cairn('thing.rename', 'thing', 'rename', 'Location/cave', 'Location/cavern')).toMatchObject({
      name: 'Location/cavern',
      version: 1,
    });
    const data = { safe: true, seenFrom: 'Location/hut@v1' };
    expect(await cairn('thing.get', 'thing', 'get', 'Belief/safe')).toMatchObject({
      aboutWref: 'Location/cavern@v1',
      data,
      refs: [['/seenFrom', expect.stringMatching(/^[0-9A-Z]{26}@v1$/)]],
    });
    expect(await cairn('thing.get', 'thing', 'get', 'Belief/safe', '--at', '4')).toMatchObject({
      aboutWref: 'Location/cave@v1',
      data,
    });
    expect(await cairn('thing.getMany', 'thing', 'get', 'Arc/way', 'Location/cavern@v1')).toMatchObject({
      items: [{ data: { from: 'Location/cavern@v1', to: 'Location/hut@v1' } }, { name: 'Location/cavern' }],
    });
    await cairn('shape.rename', 'shape', 'rename', 'Location', 'Place');
    expect(await cairn('thing.history', 'thing', 'history', 'Arc/way')).toMatchObject({
      items: [{ data: { from: 'Place/cavern@v1', to: 'Place/hut@v1' } }],
    });
    expect((await run(['thing', 'get', 'Location/cave'], environment)).code).toBe(4);
  });

  it.runIf(IS_LONG)('sends 10,000 operations with one bad one: all or none, or all but that one', async () => {
    const { token, folder, run } = await setUp(engine);
    const environment = { CAIRN_TOKEN: token, CAIRN_REPO: 'ada/world' };
    await run(['repo', 'create', 'ada/world'], environment);
    await run(['shape', 'create', 'Sensor', '--fields', '{"score":"number"}'], environment);
    const lines = Array.from({ length: 10_000 }, (_, n) =>
      JSON.stringify({ name: `Sensor/s${n}`, data: { score: n === 6_789 ? 'high' : n } }),
    );
    const file = join(folder, 'many.jsonl');
    writeFileSync(file, lines.join('\n'));
    const refused = await run(['--json', 'commit', 'submit', '--file', file], environment);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.output).error).toMatchObject({
      code: 'SHAPE_MISMATCH',
      details: { failed: 1, operations: [{ index: 6_789, code: 'SHAPE_MISMATCH', details: [{ path: '/score' }] }] },
    });
    expect(JSON.parse((await run(['--json', 'repo', 'view'], environment)).output).repoSeq).toBe(1);
    const partial = await run(['--json', 'commit', 'submit', '--file', file, '--no-atomic'], environment);
    expect(partial.code).toBe(6);
    const { repoSeq, operations } = JSON.parse(partial.output) as { repoSeq: number; operations: { status: string }[] };
    expect([repoSeq, operations.filter(({ status }) => status === 'applied').length]).toEqual([2, 9_999]);
    expect(operations[6_789]).toMatchObject({ status: 'error' });
  });

  it.runIf(IS_LONG)('sends one submission 50 times from several processes: it is applied once', async () => {
    const { token, run } = await setUp(engine);
    const environment = { CAIRN_TOKEN: token, CAIRN_REPO: 'ada/world' };
    await run(['repo', 'create', 'ada/world'], environment);
    await run(['shape', 'create', 'Sensor', '--fields', '{"score":"number"}'], environment);
    const script = 'test/support/submit-often.ts';
    const { CAIRN_URL: url = '' } = {
      CAIRN_URL: (await run(['--json', 'doctor'], environment)).output.match(/"url": "([^"]+)"/)?.[1] ?? '',
    };
    const processes = Array.from({ length: 5 }, () => startProcess('node', ['run.mjs', script, url, token], {}));
    const outputs = await Promise.all(
      processes.map(async (process) => {
        expect((await process.ended()).code, process.output()).toBe(0);
        return process.output().trim().split('\n');
      }),
    );
    const receipts = outputs.flat();
    expect(receipts).toHaveLength(50);
    expect(new Set(receipts).size).toBe(1);
    expect(JSON.parse(receipts[0] ?? '{}')).toMatchObject({ repoSeq: 2, operations: [{ status: 'applied' }] });
    expect(JSON.parse((await run(['--json', 'repo', 'view'], environment)).output).repoSeq).toBe(2);
  });
});
