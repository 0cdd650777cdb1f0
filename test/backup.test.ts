// `cairn admin backup` and `restore` as an operator uses them: with the server running, and after it was killed.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  connect,
  createRepository,
  differences,
  expectRestored,
  serve,
  startWriting,
  stop,
  temporaryFolder,
} from './support/backup.ts';
import { startCairn } from './support/server.ts';
import { IS_LONG } from './support/suite.ts';

async function admin(args: readonly string[], environment: Record<string, string>) {
  const cli = startCairn(['--json', 'admin', ...args], environment);
  const { code } = await cli.ended();
  return { code, output: cli.output() };
}

async function succeed(args: readonly string[], environment: Record<string, string>): Promise<unknown> {
  const { code, output } = await admin(args, environment);
  expect({ code, output }).toMatchObject({ code: 0 });
  return JSON.parse(output);
}

async function createServer() {
  const home = temporaryFolder();
  const data = join(home, 'data');
  const token = await createRepository({ engine: 'sqlite', file: join(data, 'cairn.db') });
  const server = serve({ CAIRN_DATA: data });
  return { home, data, token, server, client: await connect(server, token) };
}

it('backs up a server under commits, and restores all that was committed before', async () => {
  const { home, data, token, server, client } = await createServer();
  const [folder, other] = [join(home, 'backup'), join(home, 'other')];
  mkdirSync(join(data, 'blobs', '1'), { recursive: true });
  writeFileSync(join(data, 'blobs', '1', 'checkpoint'), 'rows of an export\n'.repeat(10_000));
  const writing = await startWriting(client);
  await writing.reach(200);
  const before = writing.newest();
  const made = await succeed(['backup', folder], { CAIRN_DATA: data });
  expect(made).toMatchObject({ folder, engine: 'sqlite', files: 3, secretIncluded: true, integrity: 'ok' });
  await writing.reach(before + 20);
  await writing.stop();
  expect(readdirSync(folder).sort()).toEqual(['blobs', 'cairn.db', 'manifest.json', 'secret.key']);
  expect(await succeed(['restore', folder], { CAIRN_DATA: other })).toMatchObject({ data: other, secretNeeded: false });
  const again = serve({ CAIRN_DATA: other });
  await expectRestored({ original: client, restored: await connect(again, token), before });
  const blob = join('blobs', '1', 'checkpoint');
  expect(readFileSync(join(other, blob))).toEqual(readFileSync(join(data, blob)));
  await stop(server, again);
  expect(await differences({ engine: 'sqlite', file: join(other, 'cairn.db') })).toEqual([]);
});

it('backs up a server that was killed, and what it left in its log', async () => {
  const { home, data, token, server, client } = await createServer();
  for (const name of ['A', 'B', 'C', 'D']) await client.shape.create('ada', 'world', name, { fields: {} });
  server.child.kill('SIGKILL');
  await server.ended();
  expect(existsSync(join(data, 'cairn.db-wal'))).toBe(true);
  const folder = join(home, 'backup');
  await succeed(['backup', folder], { CAIRN_DATA: data });
  // A copy of the files stands for a disk snapshot.
  cpSync(data, join(home, 'snapshot'), { recursive: true });
  await succeed(['backup', join(home, 'second')], { CAIRN_DATA: join(home, 'snapshot') });
  for (const [backup, other] of [
    ['backup', 'one'],
    ['second', 'two'],
  ] as const) {
    await succeed(['restore', join(home, backup)], { CAIRN_DATA: join(home, other) });
    const again = await connect(serve({ CAIRN_DATA: join(home, other) }), token);
    expect(await again.repo.get('ada', 'world')).toMatchObject({ repoSeq: 4 });
  }
});

it.runIf(IS_LONG)('refuses in one line that says what to do, with the exit code of the reason', async () => {
  const home = temporaryFolder();
  const data = join(home, 'data');
  mkdirSync(join(home, 'empty'));
  const postgres = { CAIRN_DATA: data, CAIRN_DATABASE_URL: 'postgres://cairn@127.0.0.1:1/cairn' };
  for (const [args, settings, code, message] of [
    [['backup', join(home, 'x')], postgres, 2, /Use pg_dump and pg_restore.*CAIRN_SECRET.*blobs.*docs\/backup\.md/],
    [['restore', join(home, 'x')], postgres, 2, /Use pg_dump and pg_restore.*CAIRN_SECRET.*blobs.*docs\/backup\.md/],
    [['backup', join(home, 'x')], { CAIRN_DATA: data }, 2, /There is no database at .*cairn\.db/],
    [['restore', join(home, 'x')], { CAIRN_DATA: data }, 2, /x is not a backup: there is no manifest\.json in it/],
    [['restore', join(home, 'empty')], { CAIRN_DATA: data }, 2, /empty is not a backup/],
    [['backup'], { CAIRN_DATA: data }, 2, /folder/],
  ] as const) {
    const found = await admin(args, settings);
    expect(found).toEqual({ code, output: expect.stringMatching(message) });
    expect(found.output).toMatch(/^[^\n]+\n$/);
  }
  expect(readdirSync(home)).toEqual(['empty']);
});

it.runIf(IS_LONG)('tells people what the backup holds, and how to go on', async () => {
  const { home, data, server } = await createServer();
  await stop(server);
  const folder = join(home, 'backup');
  const run = async (...args: string[]) => {
    const cli = startCairn(['admin', ...args], { CAIRN_DATA: data });
    await cli.ended();
    return cli.output();
  };
  const said = await run('backup', folder);
  expect(said).toMatch(/integrity +ok/);
  expect(said).toContain('The backup contains the secret of the server');
  expect(said).not.toContain(readFileSync(join(data, 'secret.key'), 'utf8').trim());
  // Output that is not a terminal gets no line that overwrites itself.
  expect(said).not.toContain('\r');
  expect(await run('backup', folder)).toContain('is there already');
  rmSync(data, { recursive: true });
  expect(await run('restore', folder)).toContain('Start the server with: cairn serve');
});
