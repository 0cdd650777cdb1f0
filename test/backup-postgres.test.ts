// The PostgreSQL steps of docs/backup.md, run as documented while commits continue.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
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
import { copyBase } from './support/base-copy.ts';
import { createDatabase, dropDatabase } from './support/database.ts';
import { startPostgres } from './support/postgres.ts';

// Asynchronous, because the writers run in this process and must not block.
const run = promisify(execFile);

const CAIRN_SECRET = 'a secret of more than thirty-two characters';

function serveOn(url: string) {
  return serve({ CAIRN_DATABASE_URL: url, CAIRN_DATA: temporaryFolder(), CAIRN_SECRET });
}

async function expectBackup(url: string, backUp: () => Promise<string>): Promise<void> {
  const token = await createRepository({ engine: 'postgres', url });
  const server = serveOn(url);
  const original = await connect(server, token);
  const writing = await startWriting(original);
  await writing.reach(100);
  const before = writing.newest();
  const other = await backUp();
  await writing.reach(before + 20);
  await writing.stop();
  const again = serveOn(other);
  await expectRestored({ original, restored: await connect(again, token), before });
  await stop(server, again);
  expect(await differences({ engine: 'postgres', url: other })).toEqual([]);
}

it('a base backup, with the log of its time, serves all that was committed before it began', async () => {
  const source = await startPostgres([]);
  onTestFinished(() => source.stop());
  await expectBackup(source.url, async () => {
    const copy = await startPostgres([], await copyBase(source, join(temporaryFolder(), 'base')));
    onTestFinished(() => copy.stop());
    return copy.url;
  });
});

/** `npm install` brings no pg_dump. Set CAIRN_TEST_PG_DUMP if yours is at least as new as the test server. */
const HAS_DUMP = process.env.CAIRN_TEST_PG_DUMP !== undefined;

const dumpAndRestore = async () => {
  const server = inject('postgresUrl');
  const [source, target] = [await createDatabase(server), await createDatabase(server)];
  onTestFinished(async () => {
    for (const { name } of [source, target]) await dropDatabase(server, name);
  });
  const file = join(temporaryFolder(), 'cairn.dump');
  await expectBackup(source.url, async () => {
    await run('pg_dump', ['--format=custom', `--file=${file}`, source.url]);
    await run('pg_restore', ['--exit-on-error', '--single-transaction', '--no-owner', `--dbname=${target.url}`, file]);
    return target.url;
  });
};

if (HAS_DUMP) it('pg_dump and pg_restore give all that was committed before', dumpAndRestore);
