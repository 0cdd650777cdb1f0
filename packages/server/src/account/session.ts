// The sessions of an account: listed and ended by a session of it, whether that is a browser's or a client's.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { SessionKind, SessionRecord } from '@cairn/protocol/session';
import { auditedBy } from '../access/audit.ts';
import type { Context, Origin } from '../access/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../access/cursor.ts';
import { requireSession } from '../access/requirement.ts';
import type { Store } from '../store.ts';
import { findSession, listSessions as findSessions, type ListedSession, type SessionHolder } from './session.sql.ts';

export async function listSessions(
  { store, keys, principal }: Context,
  { cursor, limit }: ProcedureArguments<'auth.listSessions'>,
): Promise<Page<SessionRecord>> {
  const holder = requireSession(principal);
  const { accountId } = holder;
  const list = { procedure: 'auth.listSessions', parameters: { accountId } } as const;
  const [createdAt = 0, id = ''] =
    cursor === undefined ? [] : decodeCursor<[number, string]>(keys.cursor, { ...list, cursor });
  const after = cursor === undefined ? undefined : { createdAt, id };
  const found = await findSessions(store.database, { accountId, now: Date.now() }, { after, limit: limit + 1 });
  const page = toPage(found, {
    limit,
    cursorAfter: (last) => encodeCursor(keys.cursor, { ...list, position: [last.createdAt, last.id] }),
  });
  return { ...page, items: await toRecords(store, holder, page.items) };
}

/** The newest of them, for a page that shows them all at once. */
export async function newestSessions(store: Store, holder: SessionHolder, limit: number): Promise<SessionRecord[]> {
  const { accountId } = holder;
  return await toRecords(store, holder, await findSessions(store.database, { accountId, now: Date.now() }, { limit }));
}

async function toRecords(
  store: Store,
  holder: SessionHolder,
  sessions: readonly ListedSession[],
): Promise<SessionRecord[]> {
  const used = await store.usage.findSessionUses(sessions.map(({ id }) => id));
  return sessions.map((session) => toRecord(session, { holder, lastUsedAt: used.get(session.id) }));
}

function toRecord(
  { id, kind, address, agent, createdAt, expiresAt, clientId, clientName }: ListedSession,
  { holder, lastUsedAt }: { holder: SessionHolder; lastUsedAt: number | undefined },
): SessionRecord {
  return {
    ...{ id, kind, createdAt, expiresAt },
    current: id === holder.sessionId,
    ...(clientId !== undefined && { client: clientOf(clientId, clientName) }),
    ...(agent !== undefined && { agent }),
    ...(address !== undefined && { address }),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  };
}

/** A name can be anything that a client calls itself; where its id is an address, that says whose it is. */
function clientOf(id: string, name = id): NonNullable<SessionRecord['client']> {
  const url = URL.parse(id);
  return { id, name, ...(url?.protocol === 'https:' && { host: url.host }) };
}

export async function endSession(
  { store, principal, origin }: Context,
  { id }: ProcedureArguments<'auth.endSession'>,
): Promise<SessionRecord> {
  return await endOneSession(store, requireSession(principal), { id, origin });
}

export async function endAllSessions(
  { store, principal, origin }: Context,
  { kind }: ProcedureArguments<'auth.endAllSessions'>,
): Promise<ProcedureOutput<'auth.endAllSessions'>> {
  return { ended: await endEverySession(store, requireSession(principal), { kind, origin }) };
}

/** Those of others are as unknown as those that are not there. */
export async function endOneSession(
  store: Store,
  holder: SessionHolder,
  { id, origin }: { id: string; origin: Origin },
): Promise<SessionRecord> {
  const { accountId, handle } = holder;
  const now = Date.now();
  const found = await findSession(store.database, { id, accountId, now });
  if (found === undefined) throw sessionNotFound();
  const [record] = await toRecords(store, holder, [found]);
  const details = { kind: found.kind, ...(found.clientName !== undefined && { client: found.clientName }) };
  const audit = auditedBy(`user:${handle}`, origin, {
    action: 'auth.endSession',
    target: `user:${handle}`,
    details,
    places: [{ accountId }],
  });
  await store.write('endSession', { id, accountId, now }, audit);
  if (record === undefined) throw new Error('a session has no record');
  return record;
}

export async function endEverySession(
  store: Store,
  { accountId, handle }: SessionHolder,
  { kind, origin }: { kind?: SessionKind | undefined; origin: Origin },
): Promise<number> {
  const audit = auditedBy(`user:${handle}`, origin, {
    action: 'auth.endAllSessions',
    target: `user:${handle}`,
    details: kind === undefined ? {} : { kind },
    places: [{ accountId }],
  });
  return await store.write('endSessions', { accountId, kind, now: Date.now() }, audit);
}

function sessionNotFound(): CairnError {
  return fail('NOT_FOUND', {
    message:
      'There is no such session of your account. List those that there are; one that has ended is not among them.',
  });
}
