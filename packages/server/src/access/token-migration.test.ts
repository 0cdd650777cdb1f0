// Rights of tokens after an upgrade from version 5, whose entries were JSON by name. No token may gain rights.
import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { createTestAppOn } from '../../../../test/support/server.ts';
import { ENGINES, openStoreAt, testLocation } from '../../../../test/support/store.ts';
import type { Engine, StoreLocation, Transaction, WritableDatabase } from '../engine/database.ts';
import { migrate, readMigrations } from '../engine/migration.ts';
import { openPostgresWriter } from '../engine/postgres/postgres.ts';
import { openSqliteWriter } from '../engine/sqlite/sqlite.ts';
import { hashToken, mintToken } from './principal.ts';

const DAY_MS = 86_400_000;

function openWriter(location: StoreLocation): WritableDatabase {
  return location.engine === 'sqlite' ? openSqliteWriter(location.file) : openPostgresWriter(location.url);
}

async function fill(tx: Transaction): Promise<void> {
  const now = Date.now();
  await tx.query(`insert into account (email, handle, password_hash, operator, created_at)
    values ('ada@example.com', 'ada', '-', 1, ${now})`);
  await tx.query(`insert into organization (name, display_name, description, created_at)
    values ('acme', 'acme', '', ${now}), ('other', 'other', '', ${now})`);
  await tx.query(`insert into member (organization_id, account_id, role, created_at)
    select id, 1, 'owner', ${now} from organization`);
  for (const [name, deletedAt] of [
    ['world', null],
    ['hush', null],
    ['gone', now],
  ] as const) {
    await tx.query(
      `insert into repository (organization_id, name, display_name, description, visibility, created_at, deleted_at)
       select id, $1, $1, '', 'private', ${now}, $2 from organization where name = 'acme'`,
      [name, deletedAt],
    );
  }
  await tx.query('insert into repo_sequence (repo_id, repo_seq, last_record_id) select id, 0, 0 from repository');
}

type OldEntry = { resource?: string; permissions: readonly string[]; refs?: string[]; shapes?: string[] };

async function upgrade(engine: Engine, tokens: Readonly<Record<string, readonly OldEntry[]>>) {
  const location = await testLocation(engine);
  const before = openWriter(location);
  const minted = new Map(Object.keys(tokens).map((name) => [name, mintToken()]));
  await migrate(before, readMigrations().slice(0, 5));
  await before.transaction(async (tx) => {
    await fill(tx);
    for (const [name, token] of minted) {
      await tx.query(
        `insert into token (account_id, name, description, hash, scopes, created_at, expires_at)
         values (1, $1, '', $2, $3, $4, $5)`,
        [name, hashToken(token), JSON.stringify(tokens[name]), Date.now(), Date.now() + DAY_MS],
      );
    }
  });
  await before.close();
  const { app } = createTestAppOn(await openStoreAt(location));
  return (name: string) => caller(app, minted.get(name));
}

async function allowedIn(call: ReturnType<typeof caller>, repoName: string): Promise<string[]> {
  const allowed: string[] = [];
  for (const permission of ['repo:read', 'repo:write', 'repo:admin'] as const) {
    const answer = await call('access.checkRepoPermission', { orgName: 'acme', repoName, permission });
    if (answer.status === 200 && answer.data().allowed) allowed.push(permission);
  }
  return allowed;
}

describe.each(ENGINES)('tokens of version 5 on %s', (engine) => {
  it('keep what they had, by identity', async () => {
    const tokenOf = await upgrade(engine, {
      everything: [{ permissions: SCOPE_NAMES }],
      organization: [{ resource: 'acme', permissions: ['repo:read', 'org:read'] }],
      repository: [{ resource: 'acme/world', permissions: ['repo:read', 'repo:write'] }],
      elsewhere: [{ resource: 'other', permissions: SCOPE_NAMES }],
      lost: [{ resource: 'acme/never', permissions: SCOPE_NAMES }],
      several: [{ permissions: ['repo:read'] }, { resource: 'acme/world', permissions: ['repo:write'] }],
    });
    const found = async (name: string) => [
      await allowedIn(tokenOf(name), 'world'),
      await allowedIn(tokenOf(name), 'hush'),
    ];
    const all = ['repo:read', 'repo:write', 'repo:admin'];
    expect(await found('everything')).toEqual([all, all]);
    expect(await found('organization')).toEqual([['repo:read'], ['repo:read']]);
    expect(await found('repository')).toEqual([['repo:read', 'repo:write'], []]);
    expect(await found('elsewhere')).toEqual([[], []]);
    expect(await found('lost')).toEqual([[], []]);
    expect(await found('several')).toEqual([['repo:write'], ['repo:read']]);
    const { scopes } = (await tokenOf('several')('auth.whoami', {})).data() as { scopes: object[] };
    expect(scopes).toHaveLength(2);
    expect(scopes).toContainEqual({ permissions: ['repo:read'] });
    expect(scopes).toContainEqual({ resource: 'acme/world', permissions: ['repo:write'] });
  });

  it('follow a rename, and do not pass to the next holder of the name', async () => {
    const tokenOf = await upgrade(engine, {
      everything: [{ permissions: SCOPE_NAMES }],
      repository: [{ resource: 'acme/world', permissions: ['repo:read'] }],
      deleted: [{ resource: 'acme/gone', permissions: SCOPE_NAMES }],
    });
    const owner = tokenOf('everything');
    (await owner('repo.rename', { orgName: 'acme', repoName: 'world', newName: 'earth' })).data();
    (await owner('repo.create', { orgName: 'acme', name: 'world' })).data();
    expect(await allowedIn(tokenOf('repository'), 'earth')).toEqual(['repo:read']);
    expect(await allowedIn(tokenOf('repository'), 'world')).toEqual([]);
    (await owner('repo.restore', { orgName: 'acme', repoName: 'gone' })).data();
    expect(await allowedIn(tokenOf('deleted'), 'gone')).toEqual(['repo:read', 'repo:write', 'repo:admin']);
  });

  it('that were narrowed to refs keep to them', async () => {
    const tokenOf = await upgrade(engine, {
      everything: [{ permissions: SCOPE_NAMES }],
      narrowed: [{ resource: 'acme/world', permissions: ['repo:read'], refs: ['Signal/**'] }],
    });
    const world = { orgName: 'acme', repoName: 'world' };
    const fields = { v: 'string' };
    const operations = [
      { operation: 'add', kind: 'shape', name: 'Signal', data: { fields } },
      { operation: 'add', kind: 'shape', name: 'Secret', data: { fields } },
      { operation: 'add', name: 'Signal/a', data: { v: '' } },
      { operation: 'add', name: 'Secret/a', data: { v: '' } },
    ];
    (await tokenOf('everything')('commit.submit', { ...world, operations })).data();
    const narrowed = tokenOf('narrowed');
    expect((await narrowed('thing.get', { ...world, wref: 'Signal/a' })).status).toBe(200);
    expect((await narrowed('thing.get', { ...world, wref: 'Secret/a' })).status).toBe(404);
  });

  it('that were to be narrowed to shapes, which nobody kept to, do not become wider by it', async () => {
    const tokenOf = await upgrade(engine, {
      restricted: [
        { permissions: SCOPE_NAMES },
        { resource: 'acme/hush', permissions: ['repo:read'], shapes: ['Signal'] },
      ],
    });
    expect(await allowedIn(tokenOf('restricted'), 'hush')).toEqual([]);
    expect(await allowedIn(tokenOf('restricted'), 'world')).toEqual(['repo:read', 'repo:write', 'repo:admin']);
  });
});
