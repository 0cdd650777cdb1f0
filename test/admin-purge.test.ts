// `cairn admin purge` as an operator uses it, with the server running: the value is gone everywhere, and history stays
// intact.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CairnClient } from '@cairn/sdk';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../packages/server/src/admin/backup-file.ts';
import type { StoreLocation } from '../packages/server/src/engine/database.ts';
import { connect, createRepository, differences, serve, stop, temporaryFolder } from './support/backup.ts';
import { waitForSearch } from './support/search-wait.ts';
import { settingsOf, startCairn } from './support/server.ts';
import { ENGINES, testLocation } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';

const LEAKED = 'hunter2-and-more';
const bytesOf = (text: string) => new Blob([text]).stream();

async function admin(environment: Record<string, string>, ...args: string[]) {
  const cli = startCairn(['admin', ...args], environment);
  const { code } = await cli.ended();
  return { code, output: cli.output() };
}

async function leak(client: CairnClient): Promise<void> {
  const fields = { password: { type: 'string', indexed: true }, 'room?': 'wref', 'note?': 'string' } as const;
  await client.shape.create('ada', 'world', 'Room', { fields: {} });
  await client.shape.create('ada', 'world', 'Login', { fields });
  const submit = (...operations: object[]) => client.commit.submit('ada', 'world', { operations: operations as never });
  await submit({ name: 'Room/a', data: {} });
  await submit(
    { name: 'Login/one', data: { password: LEAKED, room: 'Room/a' } },
    { name: 'Login/two', data: { password: 'fine', note: `it was "${LEAKED}"` } },
    { name: 'Login/three', data: { password: 'fine' } },
  );
  await submit({ operation: 'revise', name: 'Login/one', data: { password: 'fine' } });
  await submit({ operation: 'revise', name: 'Login/one', data: { password: LEAKED } });
  await submit({ operation: 'retract', name: 'Login/one' });
}

async function exportOf(client: CairnClient, repoName: string, options = {}): Promise<string> {
  const lines: Uint8Array[] = [];
  for await (const part of client.repo.exportLines('ada', repoName, options)) lines.push(part.lines);
  return Buffer.concat(lines).toString('utf8');
}

/** Searches all files of the server and, on PostgreSQL, all rows. */
async function isKept(location: StoreLocation, data: string): Promise<boolean> {
  const inFiles = filesBelow(data).some((path) => readFileSync(join(data, path)).includes(LEAKED));
  if (location.engine === 'sqlite' || inFiles) return inFiles;
  const sql = postgres(location.url, { max: 1 });
  try {
    const tables =
      await sql`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
    for (const { relname } of tables) {
      const rows = await sql.unsafe(`select 1 from "${relname}" t where t::text like '%${LEAKED}%' limit 1`);
      if (rows.length > 0) return true;
    }
    return false;
  } finally {
    await sql.end();
  }
}

describe.each(ENGINES)('cairn admin purge on %s', (engine) => {
  it('removes a value for good, and leaves history whole', async () => {
    const location = await testLocation(engine);
    const settings = settingsOf(location);
    const data = settings.CAIRN_DATA ?? '';
    const token = await createRepository(location);
    const server = serve(settings);
    const client = await connect(server, token);
    await leak(client);
    const search = () => client.thing.search('ada', 'world', LEAKED);
    await waitForSearch(search);
    await client.repo.createCheckpoint('ada', 'world', 'monday');
    const file = join(temporaryFolder(), 'before.ndjson');
    await client.repo.checkpointToFile('ada', 'world', 'monday', file);
    expect(readFileSync(file, 'utf8')).toContain(LEAKED);
    const [before, log] = [await client.repo.get('ada', 'world'), await client.commit.log('ada', 'world')];
    expect(await isKept(location, data)).toBe(true);

    expect(await admin(settings, 'purge', 'ada/world', '--containing', LEAKED)).toEqual({
      code: 2,
      output: expect.stringContaining('To confirm, add --yes.'),
    });
    const purged = await admin(settings, 'purge', 'ada/world', '--containing', LEAKED, '--yes', '--json');
    expect(JSON.parse(purged.output)).toEqual({
      records: [
        { name: 'Login/one', versions: [1, 3, 4] },
        { name: 'Login/two', versions: [1] },
      ],
      exports: 1,
      left: [],
      rewritten: true,
    });

    const past = await client.thing.get('ada', 'world', 'Login/one@v1');
    expect(past).toMatchObject({ version: 1, data: {}, purged: true });
    expect([past.dataHash, past.refs]).toEqual([undefined, undefined]);
    expect(await client.thing.get('ada', 'world', 'Login/one@v2')).toMatchObject({
      data: { password: 'fine' },
    });
    const [two, three] = (await client.thing.head('ada', 'world', { shape: 'Login' })).items;
    expect([two, three?.purged]).toMatchObject([{ name: 'Login/two', data: {}, purged: true }, undefined]);
    for (const atRepoSeq of [4, 5, 6, 7]) {
      const where = [{ fieldPath: 'password', op: 'eq', rhs: LEAKED } as const];
      const options = { shape: 'Login', where, atRepoSeq, includeRetracted: true };
      expect((await client.thing.head('ada', 'world', options)).items).toEqual([]);
    }
    await waitForSearch(() => client.thing.search('ada', 'world', 'three'));
    expect((await search()).items).toEqual([]);

    await client.repo.checkpointToFile('ada', 'world', 'monday', join(temporaryFolder(), 'after.ndjson'));
    const text = await exportOf(client, 'world');
    expect(text).not.toContain(LEAKED);
    expect(text).toMatch(/"data":\{\},"dataHash":"[0-9a-f]{64}","purged":true/);
    await client.repo.create('ada', 'copy');
    await client.repo.import('ada', 'copy', bytesOf(text));
    expect(await client.thing.get('ada', 'copy', 'Login/two')).toMatchObject({ data: {}, purged: true });

    expect(await client.repo.get('ada', 'world')).toEqual(before);
    expect(await client.commit.log('ada', 'world')).toEqual(log);
    const { items: told } = await client.audit.list('ada', { action: 'admin.purge' });
    expect(told.map(({ target }) => target)).toEqual(['ada/world/Login/two', 'ada/world/Login/one']);
    expect(await isKept(location, data)).toBe(false);
    const verified = await admin(settings, 'verify');
    expect(verified).toEqual({
      code: 0,
      output: expect.stringContaining('with 6 purged versions. Everything is as it'),
    });

    // Later commits continue from the purged version.
    const operations = [{ operation: 'revise', name: 'Login/two', data: { password: 'better' } }] as const;
    await client.commit.submit('ada', 'world', { operations });
    expect(await client.thing.get('ada', 'world', 'Login/two')).toMatchObject({
      version: 2,
      data: { password: 'better' },
    });
    await client.commit.submit('ada', 'world', { operations: [{ operation: 'retract', name: 'Login/three' }] });
    await stop(server);
    expect(await differences(location)).toEqual([]);
  });

  it.runIf(IS_LONG || engine === 'sqlite')(
    'takes some versions of one record, says what it cannot reach, and what is wrong',
    async () => {
      const location = await testLocation(engine);
      const settings = settingsOf(location);
      const token = await createRepository(location);
      const server = serve(settings);
      const client = await connect(server, token);
      await leak(client);
      await client.commit.submit('ada', 'world', {
        message: `this is about ${LEAKED}`,
        operations: [{ name: `Room/${LEAKED}`, data: {} }],
      });
      const some = await admin(settings, 'purge', 'ada/world', 'Login/two', '--versions', '1', '--yes');
      expect(some).toEqual({ code: 0, output: expect.stringContaining('Login/two: 1 version purged') });
      const rest = await admin(settings, 'purge', 'ada/world', '--containing', LEAKED, '--yes');
      expect(rest.output).toContain('Login/one: 3 versions purged');
      expect(rest.output).toContain('The text is also in the message of a commit, the name of a record');
      const again = await admin(settings, 'purge', 'ada/world', '--containing', LEAKED, '--yes', '--json');
      expect(JSON.parse(again.output)).toMatchObject({ records: [], exports: 0, rewritten: false });
      for (const [args, code, said] of [
        [['ada/none', 'Login/one'], 4, 'There is no repository ada/none here.'],
        [['ada/world', 'Login/none'], 4, 'There is no record Login/none.'],
        [['ada/world', 'Login'], 2, 'A shape cannot be purged'],
        [['ada/world'], 2, 'Name the record, or give the text with --containing.'],
        [['ada/world', '--versions', '1'], 2, '--versions needs a record.'],
        [['ada/world', 'Login/one', '--versions', 'x'], 2, '--versions takes numbers'],
        [['ada/world', '--containing', ''], 2, 'must not be empty'],
      ] as const) {
        expect(await admin(settings, 'purge', ...args, '--yes')).toEqual({
          code,
          output: expect.stringContaining(said),
        });
      }
      // Unclear arguments fail before the command asks for confirmation.
      const unclear = await admin(settings, 'purge', 'ada/world');
      expect(unclear).toEqual({ code: 2, output: expect.stringContaining('Name the record, or give the text') });
      await stop(server);
      expect(await differences(location)).toEqual([]);
    },
  );
});
