import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../../test/support/cli.ts';
import { startProxy } from '../../../../test/support/proxy.ts';
import { startCairn, testFolder } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

async function openStreams(engine: (typeof UPPER_ENGINES)[number]) {
  const repository = await openRepository(engine);
  const { json } = repository;
  await json('shape', 'create', 'Room', '--fields', '{"size":"number"}');
  await json('repo', 'configure', '--stream-submissions', 'on');
  const folder = testFolder();
  return { ...repository, folder, file: join(folder, 'rooms.ndjson'), refused: join(folder, 'refused.ndjson') };
}

const roomLines = (count: number) =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ name: `Room/n-${index}`, data: { size: index } }));
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

describe.each(UPPER_ENGINES)('cairn stream on %s', (engine) => {
  it('submits a file or standard input, and says what became of it', async () => {
    const { run, json, file } = await openStreams(engine);
    writeFileSync(file, roomLines(1_500).join('\n'));
    const result = await json('stream', 'submit', file, '--message', 'Rooms');
    const counts = { offset: 1_500, applied: 1_500, noop: 0, error: 0, repoSeq: expect.any(Number) };
    expect(result).toEqual({ streamId: expect.any(String), ...counts });
    const { streamId } = result as { streamId: string };
    expect(await json('stream', 'status', streamId)).toMatchObject({ ...counts, state: 'closed' });
    expect(await json('thing', 'count', '--shape', 'Room')).toMatchObject({ count: 1_500 });
    const again = await run(['stream', 'submit', '-', '--skip-existing', '--keep-open'], textOf(roomLines(1_501)));
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(/^applied +1$/m);
    expect(again.stdout).toMatch(/^noop +1500$/m);
    const [, id = ''] = /^Stream ([\w-]+)\. .*--stream \1$/m.exec(again.stderr) ?? [];
    expect(await json('stream', 'status', id)).toMatchObject({ state: 'open', offset: 1_501 });
    expect(await json('stream', 'close', id)).toMatchObject({ state: 'closed' });
    expect((await run(['stream', 'submit', '-', '--stream', id], textOf(roomLines(1_502)))).code).toBe(5);
    for (const flag of ['--quiet', '--json']) {
      expect((await run(['stream', 'submit', '-', '--skip-existing', flag], textOf(roomLines(1)))).stderr).toBe('');
    }
  });

  it('keeps refused lines to be mended, and the reasons beside them', async () => {
    const { run, json, file, refused } = await openStreams(engine);
    const wrong = ['{"name":"Room/a", "data":{"size":"größer"}}', '{"name":"Nowhere/b","data":{}}'];
    const lines = roomLines(1_200)
      .toSpliced(100, 0, wrong[0] ?? '')
      .toSpliced(1_150, 0, wrong[1] ?? '');
    writeFileSync(file, textOf(lines));
    const submitted = await run(['stream', 'submit', file, '--refused', refused]);
    expect(submitted).toMatchObject({ code: 1, stderr: expect.stringContaining(`${refused}.reasons`) });
    expect(submitted.stderr).toMatch(/^Line 101: .*\(SHAPE_MISMATCH\)$/m);
    expect(submitted.stdout).toMatch(/^error +2$/m);
    expect(readFileSync(refused, 'utf8')).toBe(textOf(wrong));
    const reasons = readFileSync(`${refused}.reasons`, 'utf8').trim().split('\n');
    expect(reasons.map((reason) => JSON.parse(reason))).toMatchObject([
      { line: 101, code: 'SHAPE_MISMATCH', message: expect.stringContaining('size') },
      { line: 1_151, code: expect.any(String) },
    ]);
    expect(await run(['stream', 'submit', file, '--refused', refused])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    });
    writeFileSync(refused, '{"name":"Room/a", "data":{"size":12}}\n');
    expect(await json('stream', 'submit', refused)).toMatchObject({ applied: 1, error: 0 });
    const unkept = await run(['stream', 'submit', '-'], textOf(Array(12).fill(wrong[0])));
    expect(unkept.stderr).toContain('… and 2 more');
    expect(unkept.stderr).toContain('--refused FILE');
    const spare = join(refused, '..', 'spare');
    await json('stream', 'submit', '-', '--refused', spare);
    expect(existsSync(spare)).toBe(false);
  });

  it('goes on over cuts; and, when it was cut for good, after the lines that are durable', async () => {
    const { run, json, environment, file } = await openStreams(engine);
    writeFileSync(file, textOf(roomLines(5_000)));
    const often = await startProxy(environment.CAIRN_URL, {
      cutRequestAfter: (nth) => (nth < 5 ? 30_000 + 20_000 * nth : undefined),
    });
    const through = (url: string, ...flags: string[]) =>
      cairn(['stream', 'submit', file, ...flags], { ...environment, CAIRN_URL: url });
    expect((await through(often.url, '--stream', 'often')).code).toBe(0);
    expect(await json('stream', 'status', 'often')).toMatchObject({ offset: 5_000, applied: 5_000, error: 0 });
    const cut = await startProxy(environment.CAIRN_URL, { cutRequestAfter: (nth) => (nth === 0 ? 30_000 : 0) });
    const failed = await through(cut.url, '--skip-existing', '--stream', 'cut');
    expect(failed).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('run the same command again with --stream cut'),
    });
    expect((await through(environment.CAIRN_URL, '--skip-existing', '--stream', 'cut')).code).toBe(0);
    expect(await json('stream', 'status', 'cut')).toMatchObject({ offset: 5_000, noop: 5_000 });
    const done = await run(['stream', 'submit', '-', '--stream', 'cut', '--json'], textOf(roomLines(5_000)));
    expect(JSON.parse(done.stdout)).toMatchObject({ offset: 5_000, applied: 0 });
    writeFileSync(file, textOf(roomLines(10)));
    const short = await run(['stream', 'submit', file, '--stream', 'cut']);
    expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('has only 10') });
  });

  it('goes on after its process was killed, by the name that it told', async () => {
    const { json, environment, file, refused } = await openStreams(engine);
    const lines = roomLines(4_000).map((line, index) =>
      index % 1_000 === 500 ? '{"name":"Nowhere/a","data":{}}' : line,
    );
    writeFileSync(file, textOf(lines));
    const args = ['stream', 'submit'];
    const killed = startCairn([...args, '-'], environment);
    const [, id = ''] = await killed.printed(/Stream ([\w-]+)\./);
    // More than a chunk, without an end.
    killed.child.stdin?.write(textOf(lines.slice(0, 2_500)));
    await expect.poll(() => json('stream', 'status', id)).toMatchObject({ state: 'open' });
    killed.child.kill('SIGKILL');
    await killed.ended();
    // The first process recorded no refusals.
    const resumed = startCairn([...args, file, '--stream', id, '--refused', refused], environment);
    expect([(await resumed.ended()).code, resumed.output()]).toEqual([1, expect.stringMatching(/^applied +3996$/m)]);
    expect(await json('thing', 'count', '--shape', 'Room')).toMatchObject({ count: 3_996 });
    const reasons = () => readFileSync(`${refused}.reasons`, 'utf8').trim().split('\n');
    expect(reasons().map((reason) => JSON.parse(reason).line)).toEqual([501, 1_501, 2_501, 3_501]);
    expect(readFileSync(refused, 'utf8')).toBe(textOf(Array(4).fill(lines[500])));
    const again = startCairn([...args, file, '--stream', id, '--refused', refused], environment);
    await again.ended();
    expect(reasons()).toHaveLength(4);
  });

  it('ends at a line that is no JSON, and says how to go on', async () => {
    const { run, json, file } = await openStreams(engine);
    const lines = roomLines(1_200);
    writeFileSync(file, textOf(lines.with(1_100, '{"name":')));
    const broken = await run(['stream', 'submit', file, '--stream', 'mended']);
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/line 1101.*--stream mended/is) });
    writeFileSync(file, textOf(lines));
    expect(await json('stream', 'submit', file, '--stream', 'mended')).toMatchObject({ applied: 1_200, error: 0 });
  });

  it('says what is wrong with a file, and where a repository takes no streams', async () => {
    const { run, json, folder, file } = await openStreams(engine);
    const stderrOf = async (...args: string[]) => {
      const { code, stderr } = await run(['stream', 'submit', ...args]);
      return [code, stderr];
    };
    expect(await stderrOf(join(folder, 'none'))).toEqual([2, expect.stringContaining('Cannot read')]);
    mkdirSync(join(folder, 'folder'));
    expect(await stderrOf(join(folder, 'folder'))).toEqual([2, expect.stringContaining('is a folder')]);
    writeFileSync(file, '');
    expect(await stderrOf(file)).toEqual([0, expect.stringContaining('is empty')]);
    writeFileSync(file, textOf(roomLines(1)));
    expect(await stderrOf(file, '--refused', join(folder, 'no', 'file'))).toEqual([
      2,
      expect.stringContaining('no folder'),
    ]);
    expect(await stderrOf(file, '--stream', 'not/good')).toEqual([2, expect.stringContaining('stream id')]);
    await json('repo', 'configure', '--stream-submissions', 'off');
    const off = await run(['stream', 'submit', file]);
    expect(off).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('cairn repo configure --stream-submissions on'),
    });
    // There is no stream to resume.
    expect(off.stderr).not.toContain('--stream ');
    expect((await run(['stream', 'submit', file, '--repo', 'ada/none'])).code).toBe(4);
  });

  it('tells of fields that no shape declares, each once', async () => {
    const { run, file } = await openStreams(engine);
    const wrong = (name: string) => JSON.stringify({ name, data: { size: 1, sise: 2, at: 3 } });
    const lines = [...roomLines(1_500), wrong('Room/a'), wrong('Room/b'), ...roomLines(3_000).slice(1_500)];
    writeFileSync(file, textOf([...lines, wrong('Room/c')]));
    const { code, stderr } = await run(['stream', 'submit', file]);
    expect(code).toBe(0);
    expect(stderr.split('\n').slice(1).toSorted()).toEqual([
      '',
      'Room declares no field "at"; it was stored anyway.',
      'Room declares no field "sise"; it was stored anyway. Did you mean "size"?',
    ]);
    for (const flag of ['--quiet', '--json']) {
      expect((await run(['stream', 'submit', '-', flag], textOf([wrong(`Room/${flag}`)]))).stderr).toBe('');
    }
  });

  it('names the lines that end a stream of all or none', async () => {
    const { run, file } = await openStreams(engine);
    const [first = ''] = roomLines(1);
    writeFileSync(file, textOf([first, '', '{"name":"Room/a","data":{"size":"x"}}', '{"nme":"Room/b","data":{}}']));
    const submit = (...flags: string[]) => run(['stream', 'submit', file, '--atomicity', 'chunk', ...flags]);
    const { code, stderr } = await submit();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ {2}line 3, Room\/a: /m);
    expect(stderr).toMatch(/^ {2}line 4: /m);
    expect(stderr).not.toMatch(/operation \d/);
    expect(stderr).toContain('or use --atomicity none to apply the others');
    const { error } = JSON.parse((await submit('--json')).stderr);
    expect(error.details.operations).toMatchObject([{ index: 3 }, { index: 4 }]);
    expect(error.details.operations[0]).not.toHaveProperty('place');
    writeFileSync(file, textOf(['{"nme":"Room/b","data":{}}']));
    for (const flags of [[], ['--json']]) expect((await submit(...flags)).code).toBe(1);
  });

  it('shows how far it is on a terminal, and what was refused', async () => {
    const { environment, file } = await openStreams(engine);
    writeFileSync(file, textOf([...roomLines(2_000), '{"name":"Room/a","data":{"size":"x"}}', ...roomLines(10)]));
    const shown = await cairn(['stream', 'submit', file, '--skip-existing'], environment, '', 120);
    expect(shown.stderr).toMatch(/Submitting .*% .*lines/);
    expect(shown.code).toBe(1);
  });
});
