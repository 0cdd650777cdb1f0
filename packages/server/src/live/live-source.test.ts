// The number of statements for access checks and events does not depend on the number of listeners.
import { describe, expect, inject, it } from 'vitest';
import { createLiveWorld, signal, ticketOf, WORLD } from '../../../../test/support/live.ts';
import { createComponentToken, createSession, TEST_SECRET } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';
import type { Database, Engine, Reader } from '../engine/database.ts';
import { findRepository } from '../repository/repository.sql.ts';
import { deriveKeys } from '../server.ts';
import { decodeTicket } from './live.ts';
import { createLiveSource, type LiveListener, type LiveSight, toListener } from './live-source.ts';

const KINDS = 4;

async function createListeners(engine: Engine, count: number) {
  const world = await createLiveWorld(engine);
  const { store, app } = world;
  const repoId = (await findRepository(store.database, WORLD))?.repoId ?? 0;
  const scopes = (n: number) => [
    { resource: 'acme/world', permissions: ['repo:read' as const], ...(n % 2 === 0 && { refs: [`Signal/${n}*`] }) },
  ];
  const listeners: LiveListener[] = [];
  for (let n = 0; n < count; n++) {
    const { token } = await createToken(store, { email: 'ada@example.com', name: `t${n}`, scopes: scopes(n) });
    const child = (await caller(app, token)('token.create', { name: `c${n}`, scopes: scopes(n) })).data().token;
    const session = (await createSession(store, { accountId: await ownerIdOf(store) })).token;
    const component = await createComponentToken(store, { repoId });
    for (const bearer of [token, child, session, component]) {
      const ticket = await ticketOf(caller(app, bearer));
      listeners.push(toListener(decodeTicket(deriveKeys(TEST_SECRET).liveTicket, { ticket, now: Date.now() })));
    }
  }
  return { ...world, repoId, listeners };
}

function counted(database: Database): { database: Database; count: () => number } {
  let count = 0;
  const reader: Reader = {
    query: (sql, params) => {
      count++;
      return database.query(sql, params);
    },
    bulk: (statement, rows) => {
      count += rows.rows.length > 0 ? 1 : 0;
      return database.bulk(statement, rows);
    },
  };
  return { database: { ...database, ...reader }, count: () => count };
}

describe.each(UPPER_ENGINES)('the rights of listeners on %s', (engine) => {
  it('are looked up in a constant number of statements, and so is what they are told', async () => {
    const { store, commit, repoId, listeners } = await createListeners(engine, 8);
    await commit([signal('0a'), { name: 'Signal/1', about: 'Signal/0a', data: {} }]);
    const statements = async (some: readonly LiveListener[]) => {
      const { database, count } = counted(store.database);
      const source = createLiveSource({ ...store, database });
      const sights = await source.check(some);
      const checks = count();
      const events = await source.read({ repoId, sinceSeq: 1, throughSeq: 2 }, sights as LiveSight[]);
      return { checks, reads: count() - checks, heard: events.filter((event) => event !== undefined).length };
    };
    const [few, all] = [await statements(listeners.slice(0, KINDS)), await statements(listeners)];
    expect([all.checks, all.reads]).toEqual([few.checks, few.reads]);
    // Distributed repositories need a separate statement to read their sequences.
    expect(few.checks).toBeLessThanOrEqual(inject('isDistributed') ? 6 : 5);
    expect(few.reads).toBeLessThanOrEqual(3);
    expect(few.heard).toBe(KINDS);
    expect(all.heard).toBe(listeners.length - 2 * 3);
  });
});
