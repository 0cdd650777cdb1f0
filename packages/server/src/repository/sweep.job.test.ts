import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatDurableId } from '@cairn/model/wref';
import type { StreamStatus } from '@cairn/protocol/stream';
import { describe, expect, it } from 'vitest';
import { headerOf, lineOf } from '../../../../test/support/import/file.ts';
import { createComponentToken } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { addTestRepository, type TestRepository } from '../../../../test/support/repository.ts';
import { createOwnerToken, createTestApp, openTestBlobs } from '../../../../test/support/server.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { applyLines, linesOf, STREAM } from '../../../../test/support/stream.ts';
import { SUBSCRIPTION_FORM } from '../../../../test/support/subscription.ts';
import { type Grant, systemGrant } from '../access/grant.rule.ts';
import { findPerson } from '../account/account.sql.ts';
import { createToken } from '../account/account.ts';
import type { Store } from '../store.ts';
import { readStream } from '../stream/stream.sql.ts';
import { REPOSITORY_TABLES } from './repository-removal.sql.ts';
import { sweep } from './sweep.job.ts';

const DAY_MS = 86_400_000;

async function fill(repository: TestRepository, { things, target }: { things: number; target: Grant }): Promise<void> {
  const { commit, store, grant } = repository;
  await importCopy(repository);
  const handle = `${grant.repository.orgName}-guest`;
  await store.write.createAccount({ email: `${handle}@example.com`, handle, passwordHash: '-', operator: false });
  const change = { grant, role: 'read', now: 1 } as const;
  const inviter = { accountId: await accountIdOf(store, handle), codeHash: handle };
  await store.write.setRepositoryRole({ ...change, person: { handle }, inviter });
  await store.write.setRepositoryRole({ ...change, person: { email: 'new@example.com' }, inviter });
  await giveTokens(repository);
  await giveCredentials(repository);
  await giveComponent(repository);
  await giveSubscriptions(repository, target);
  const fields = { x: { type: 'number', indexed: true }, 'next?': 'wref', 'far?': 'wref' };
  await commit([{ kind: 'shape', name: 'Location', data: { fields } }]);
  const operations = Array.from({ length: things }, (_, n) => ({ name: `Location/n${n}`, data: { x: n } }));
  const submission = { id: randomUUID(), owner: 'user:ada', contentHash: new Uint8Array([1]) };
  await commit(operations, { submission });
  const { repoId, repository: far } = target;
  const readable = [{ repoId, orgName: far.orgName, repoName: far.name }];
  const record = formatDurableId({ repoId, recordId: 1 });
  await commit([{ operation: 'rename', name: 'Location/n0', newName: 'Location/zero' }]);
  await store.write.createCheckpoint({
    grant,
    accountId: inviter.accountId,
    owner: 'user:ada',
    formatVersion: 1,
    sinceRepoSeq: 0,
    atRepoSeq: 1,
    waitingMax: 20,
    name: 'first',
    description: '',
    createdBy: 'user:ada',
    now: 1,
  });
  await applyLines(
    repository,
    linesOf([
      { name: 'Location/t-$1', data: { x: 0 } },
      { name: 'Nowhere/a', data: {} },
    ]),
  );
  await commit([{ name: 'Location/last', data: { x: 0, next: 'Location/n1', far: record } }], { readable });
}

async function importCopy({ store, grant }: TestRepository): Promise<void> {
  const limits = { dataBytes: 1_000, dataDepth: 10, importIncrementRows: 100 };
  for (const since of [0, 1]) {
    const header = headerOf(since + 1, since);
    const { importId } = await store.write.beginImport({ grant, header, createdBy: 'user:ada' });
    const lines = lineOf({ recordId: since + 1, repoSeq: since + 1 });
    await store.write.appendImport({ grant, importId, offset: 0, lines, readable: [], limits });
    const finish = () => store.write.finishImport({ grant, importId, recordCount: 1 });
    while (since === 0 && (await finish()).state !== 'complete');
  }
}

async function accountIdOf({ database }: Store, handle: string): Promise<number> {
  const person = await findPerson(database, { handle });
  return person?.accountId ?? -1;
}

async function giveTokens({ store, grant }: TestRepository): Promise<void> {
  const { orgName, name } = grant.repository;
  const scopes = [{ resource: `${orgName}/${name}`, permissions: ['repo:read' as const] }];
  await createToken(store, { email: `${orgName}@example.com`, name: 'one', scopes });
  await createComponentToken(store, { repoId: grant.repoId });
}

async function giveComponent({ store, grant: { repoId } }: TestRepository): Promise<void> {
  await runStatement(
    store,
    `insert into component_install (repo_id, install_id, component_id, state, version, manifest_hash, granted,
       installed_by, installed_at, updated_at) values (${repoId}, 'ins', 1, 'ready', '1.0.0', '', '{}', 'user:ada', 1, 1)`,
  );
  await runStatement(
    store,
    `insert into component_shape (repo_id, shape_id, install_id, version) values (${repoId}, 1, 'ins', 1)`,
  );
}

async function giveSubscriptions({ store, grant }: TestRepository, target: Grant): Promise<void> {
  const { repoId, repository } = grant;
  const name = repository.orgName;
  await store.write.createSubscription({ ...SUBSCRIPTION_FORM, home: { homeId: repoId, grant }, name });
  const source = { repoId, giver: { accountId: 1 } };
  await store.write.createSubscription({
    ...SUBSCRIPTION_FORM,
    home: { homeId: target.repoId, grant: target },
    name,
    source,
  });
  await runStatement(
    store,
    `insert into attempt (repo_id, run_id, attempt, target, started_at) values (${repoId}, 'run', 1, 'webhook', 1)`,
  );
  await runStatement(
    store,
    `insert into notification (repo_id, notification_id, subscription_name, status, error_code, error_message,
       attempt_count, created_at) values (${repoId}, 'note', 'all', 'paused', 'CODE', 'Why', 0, 1)`,
  );
}

async function giveCredentials({ store, grant }: TestRepository): Promise<void> {
  const set = { homeId: grant.repoId, credentialSetId: 'set', name: 'hooks', actor: 'user:ada', now: 1 };
  await store.write.createCredentialSet({ ...set, description: '' });
  const keys = [{ key: 'WEBHOOK_API_KEY', value: new Uint8Array([1]) }];
  await store.write.setCredentialKeys({ ...set, fingerprint: '-', keys, rivals: [] });
}

async function targetOn(store: Store): Promise<Grant> {
  const { commit, grant } = await addTestRepository(store, 'target');
  await commit([{ kind: 'shape', name: 'Far', data: { fields: {} } }]);
  return grant;
}

async function rowsOf({ store, grant }: TestRepository): Promise<number[]> {
  const counts = REPOSITORY_TABLES.map(async ({ name, owner, where = 'true' }) => {
    const sql = `select count(*) as n from ${name} where ${owner} = $1 and ${where}`;
    const [row] = await store.database.query<{ n: number }>(sql, [grant.repoId]);
    return row?.n ?? -1;
  });
  return await Promise.all(counts);
}

const NOTHING = REPOSITORY_TABLES.map(() => 0);

describe.each(ENGINES)('the sweep on %s', (engine) => {
  it('removes everything of a repository 30 days after its deletion, and nothing of another', async () => {
    const store = await openTestStore(engine);
    const gone = await addTestRepository(store, 'gone');
    const later = await addTestRepository(store, 'later');
    const kept = await addTestRepository(store, 'kept');
    const target = await targetOn(store);
    for (const repository of [gone, later, kept]) await fill(repository, { things: 700, target });
    await runStatement(store, `update stream set line_at = line_at + ${40 * DAY_MS}`);
    const rows = await rowsOf(gone);
    expect(rows.every((count) => count > 0)).toBe(true);
    const total = rows.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(2_500);

    const now = Date.now();
    await store.write.deleteRepository({ grant: gone.grant, now });
    await store.write.deleteRepository({ grant: later.grant, now: now + DAY_MS });
    await sweep({ store, blobs: openTestBlobs() }, now + 30 * DAY_MS - 1);
    expect(await rowsOf(gone)).toEqual(rows);

    const before = await store.counts();
    await sweep({ store, blobs: openTestBlobs() }, now + 30 * DAY_MS);
    expect((await store.counts()).writes - before.writes).toBe(Math.ceil(total / 2_000));
    expect(await rowsOf(gone)).toEqual(NOTHING);
    const ids = await store.database.query('select id from repository order by id');
    expect(ids).toEqual([later.grant, kept.grant, target].map(({ repoId }) => ({ id: repoId })));
    for (const repository of [later, kept]) expect(await rowsOf(repository)).toEqual(rows);
    const subscriptions = await store.database.query(
      'select name, active, paused_reason from subscription where repo_id = $1 order by name',
      [target.repoId],
    );
    expect(subscriptions).toEqual([
      { name: 'gone', active: 0, paused_reason: 'The source repository was deleted.' },
      { name: 'kept', active: 1, paused_reason: null },
      { name: 'later', active: 1, paused_reason: null },
    ]);
  });

  it('ends what a removed repository watched: others count it no more', async () => {
    const store = await openTestStore(engine);
    const [gone, source] = [await addTestRepository(store, 'gone'), await addTestRepository(store, 'source')];
    const home = { homeId: gone.grant.repoId, grant: gone.grant };
    const given = { repoId: source.grant.repoId, giver: { accountId: 1 } };
    await store.write.createSubscription({ ...SUBSCRIPTION_FORM, home, name: 'far', source: given });
    const watched = () => store.database.query('select watched from repo_sequence where watched > 0');
    expect(await watched()).toEqual([{ watched: 1 }]);
    await store.write.deleteRepository({ grant: gone.grant, now: 1 });
    await sweep({ store, blobs: openTestBlobs() }, 1 + 30 * DAY_MS);
    expect(await watched()).toEqual([]);
  });

  it('goes on where it was interrupted, and nobody can restore what is half removed', async () => {
    const store = await openTestStore(engine);
    const repository = await addTestRepository(store, 'ada');
    const { grant } = repository;
    const target = await targetOn(store);
    await fill(repository, { things: 2, target });
    const now = Date.now();
    await store.write.deleteRepository({ grant, now });
    const step = { grant: systemGrant(grant.repoId, 'final deletion'), deletedUntil: now, rowsMax: 1 };
    expect(await store.write.removeRepository(step)).toBe(false);
    await expect(store.write.restoreRepository({ grant, now })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await sweep({ store, blobs: openTestBlobs() }, now + 31 * DAY_MS, AbortSignal.abort());
    expect(await rowsOf(repository)).not.toEqual(NOTHING);
    const nodes = [openTestBlobs(), openTestBlobs()];
    await Promise.all(nodes.map((blobs) => sweep({ store, blobs }, now + 31 * DAY_MS)));
    expect(await rowsOf(repository)).toEqual(NOTHING);
    expect(await store.database.query('select id from repository')).toEqual([{ id: target.repoId }]);
  });

  it('leaves alone what was restored, and frees the name of what was not', async () => {
    const { app, store } = await createTestApp(engine);
    const call = caller(app, await createOwnerToken(store));
    const [world, moon] = [
      { orgName: 'ada', repoName: 'world' },
      { orgName: 'ada', repoName: 'moon' },
    ];
    for (const name of ['world', 'moon']) await call('repo.create', { orgName: 'ada', name });
    for (const address of [world, moon]) await call('repo.delete', address);
    await call('repo.restore', world);
    await sweep({ store, blobs: openTestBlobs() }, Date.now() + 31 * DAY_MS);
    expect((await call('repo.get', world)).status).toBe(200);
    expect((await call('repo.restore', moon)).status).toBe(404);
    expect((await call('repo.create', { orgName: 'ada', name: 'moon' })).status).toBe(200);
  });

  it('closes streams without a line for seven days, and forgets their tokens in steps', async () => {
    const store = await openTestStore(engine);
    const repository = await addTestRepository(store, 'ada');
    const { grant } = repository;
    await repository.commit([{ kind: 'shape', name: 'Location', data: { fields: {} } }]);
    const minted = Array.from({ length: 2_500 }, (_, n) => ({ name: `Location/$${n + 1}`, data: {} }));
    await applyLines(repository, linesOf(minted));
    await applyLines(repository, linesOf([{ name: 'Location/other-$1', data: {} }]), { streamId: 'other' });
    const [{ lineAt = 0 }, other] = (await Promise.all(
      ['load', 'other'].map((streamId) => readStream(store.database, grant, { ...STREAM, streamId })),
    )) as [StreamStatus, StreamStatus];
    const counts = async () =>
      await store.database.query(`select (select count(*) from stream where closed_at is null) as streams,
        (select count(*) from stream_token) as tokens`);
    const swept = { store, blobs: openTestBlobs() };
    await sweep(swept, lineAt + 7 * DAY_MS);
    expect(await counts()).toEqual([{ streams: 2, tokens: 2_501 }]);
    await runStatement(store, `update stream set line_at = line_at + ${DAY_MS} where stream_id = 'other'`);
    const before = await store.counts();
    await sweep(swept, lineAt + 7.5 * DAY_MS);
    expect((await store.counts()).writes - before.writes).toBe(2);
    expect(await counts()).toEqual([{ streams: 1, tokens: 1 }]);
    expect(await readStream(store.database, grant, STREAM)).toMatchObject({
      state: 'closed',
      offset: 2_500,
      closedAt: lineAt + 7 * DAY_MS,
    });
    expect(await readStream(store.database, grant, { ...STREAM, streamId: 'other' })).toEqual({
      ...other,
      lineAt: (other.lineAt ?? 0) + DAY_MS,
    });
  });

  it('forgets rate limits that are over', async () => {
    const store = await openTestStore(engine);
    const now = Date.now();
    const bucket = { key: 'a', rate: { perHour: 1, burst: 3 }, wanted: 3 };
    // From a wrong clock, because a bucket that is merely full looks like none.
    await store.usage.takePermits({ ...bucket, now: now + 2 * DAY_MS });
    expect(await store.usage.takePermits({ ...bucket, now })).toMatchObject({ granted: 0 });
    await sweep({ store, blobs: openTestBlobs() }, now, AbortSignal.abort());
    expect(await store.usage.takePermits({ ...bucket, now })).toMatchObject({ granted: 0 });
    await sweep({ store, blobs: openTestBlobs() }, now);
    expect(await store.usage.takePermits({ ...bucket, now })).toMatchObject({ granted: 3 });
  });

  it('comes after the time in which a deletion can be undone, also when it is late', async () => {
    const store = await openTestStore(engine);
    const { grant } = await addTestRepository(store, 'ada');
    const now = Date.now();
    await store.write.deleteRepository({ grant, now });
    const restore = (at: number) => store.write.restoreRepository({ grant, now: at });
    await expect(restore(now + 30 * DAY_MS)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await restore(now + 30 * DAY_MS - 1)).toMatchObject({ name: 'world' });
  });
});

function ownedTables() {
  const schema = readFileSync(join(import.meta.dirname, '../admin/schema/sqlite.txt'), 'utf8');
  const indexes = [...schema.matchAll(/^CREATE (?:UNIQUE )?INDEX \S+ on (\S+) \((.*?)\)/gims)];
  const tables = [...schema.matchAll(/^CREATE TABLE (\S+) \(\n.*?\)[^()\n]*;$/gms)];
  return tables.flatMap(([table, name = '']) =>
    ['repo_id', 'target_repo_id'].flatMap((owner) => {
      if (!new RegExp(`^ +${owner} `, 'm').test(table)) return [];
      const keys = [
        ...[...table.matchAll(/(?:primary key|unique) \((.*)\)/g)].map(([, key = '']) => key),
        ...indexes.filter(([, on]) => on === name).map(([, , key = '']) => key),
      ];
      return [{ name, owner, keys: keys.map((key) => key.split(', ')).filter(([first]) => first === owner) }];
    }),
  );
}

it('knows every table that belongs to a repository, by a key that finds its rows', () => {
  for (const { name, owner, keys } of ownedTables()) {
    const known = REPOSITORY_TABLES.find((table) => table.name === name && table.owner === owner);
    const first = keys.map((key) => key.slice(1));
    if (first.length > 0) expect([name, first]).toEqual([name, expect.arrayContaining([known?.key])]);
    else expect([name, known?.key]).toEqual([name, []]);
  }
});
