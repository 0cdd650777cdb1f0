// Creates, lists and ends the sessions of an account, for browsers and clients.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SessionKind, SessionRecord } from '@cairn/protocol/account';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import { requireSession } from '../access/access.ts';
import { auditedBy, auditedByUser } from '../access/audit.ts';
import type { Context, Origin } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import { hashCode } from '../keys/secret.ts';
import type { Store } from '../store.ts';
import { type Credential, findCredential } from './account.sql.ts';
import { signInRefused } from './password.sql.ts';
import { NOBODYS_HASH, verifyPassword } from './password-hash.ts';
import {
  type BrowserSessionHolder,
  findBrowserSession as findHolder,
  findSession,
  listSessions as findSessions,
  type ListedSession,
  type SessionClient,
  type SessionHolder,
} from './session.sql.ts';

export async function listSessions(
  { store, keys, principal }: Context,
  { cursor, limit }: ProcedureArguments<'auth.listSessions'>,
): Promise<Page<SessionRecord>> {
  const holder = requireSession(principal);
  const { accountId } = holder;
  const list = openList<[number, string]>({ keys }, 'auth.listSessions', { accountId }, { cursor, limit });
  const [createdAt = 0, id = ''] = list.after ?? [];
  const after = cursor === undefined ? undefined : { createdAt, id };
  const found = await findSessions(store.database, { accountId, now: Date.now() }, { after, limit: limit + 1 });
  const page = list.toPage(found, (last) => [last.createdAt, last.id]);
  return { ...page, items: await toRecords(store, holder, page.items) };
}

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

/** A client chooses its own name, but the host of an id that is an address tells who publishes it. */
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

export async function endOneSession(
  store: Store,
  holder: SessionHolder,
  { id, origin }: { id: string; origin: Origin },
): Promise<SessionRecord> {
  const { accountId } = holder;
  const now = Date.now();
  const found = await findSession(store.database, { id, accountId, now });
  if (found === undefined) throw sessionNotFound();
  const [record] = await toRecords(store, holder, [found]);
  const details = { kind: found.kind, ...(found.clientName !== undefined && { client: found.clientName }) };
  await store.write.endSession({ id, accountId, now }, auditedByUser(holder, origin, 'auth.endSession', details));
  if (record === undefined) throw new Error('a session has no record');
  return record;
}

export async function endEverySession(
  store: Store,
  holder: SessionHolder,
  { kind, origin }: { kind?: SessionKind | undefined; origin: Origin },
): Promise<number> {
  const audit = auditedByUser(holder, origin, 'auth.endAllSessions', kind === undefined ? {} : { kind });
  return await store.write.endSessions({ accountId: holder.accountId, kind, now: Date.now() }, audit);
}

function sessionNotFound(): CairnError {
  return fail('NOT_FOUND', {
    message: 'Your account has no such session, or it has ended. List your sessions.',
  });
}

export const BROWSER_SESSION_MS = 14 * 86_400_000;
const SECRET = /^[\w-]{43}$/;
const AGENT_CHARACTERS_MAX = 200;

export interface BrowserSession extends BrowserSessionHolder {
  /** Forms made for this browser carry it; pages of other sites do not know it. */
  readonly csrf: string;
}

export interface NewBrowserSession {
  readonly accountId: number;
  readonly passwordHash?: string | undefined;
  readonly visitor: Visitor;
  readonly agent: string | undefined;
}

/** Every sign-in makes a new cookie value, so that nobody can prepare it for somebody else. */
export async function beginBrowserSession(
  store: Store,
  { accountId, passwordHash, visitor, agent }: NewBrowserSession,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  const createdAt = Date.now();
  await store.write.createSession({
    id: randomUUID(),
    secretHash: hashCode(secret),
    expiresAt: createdAt + BROWSER_SESSION_MS,
    address: visitor.address,
    agent: agent?.slice(0, AGENT_CHARACTERS_MAX),
    restsOn: { passwordHash },
    ...{ accountId, createdAt },
  });
  return secret;
}

export async function findBrowserSession(
  store: Store,
  secret: string | undefined,
): Promise<BrowserSession | undefined> {
  if (secret === undefined || !SECRET.test(secret)) return undefined;
  const holder = await findHolder(store.database, { secretHash: hashCode(secret), now: Date.now() });
  return holder && { ...holder, csrf: createHash('sha256').update(`csrf ${secret}`).digest('base64url') };
}

export async function endBrowserSession(store: Store, { sessionId, accountId }: BrowserSession): Promise<void> {
  await store.write.endSession({ id: sessionId, accountId, now: Date.now() });
}

export interface SignInThrottle {
  trySignIn(email: string): Promise<void>;
  signedIn(email: string): Promise<void>;
}

export interface Visitor extends Origin {
  readonly throttle?: SignInThrottle | undefined;
}

/** An unknown email and a wrong password get the same answer after the same time. */
export async function signIn(
  store: Store,
  { email, password, visitor }: { email: string; password: string; visitor: Visitor },
): Promise<Credential> {
  const { throttle } = visitor;
  await throttle?.trySignIn(email);
  const credential = await findCredential(store.database, email);
  const good = await verifyPassword(password, credential?.passwordHash ?? NOBODYS_HASH);
  if (credential !== undefined) await tell(store, credential, { visitor, good });
  if (credential === undefined || !good) throw signInRefused();
  await throttle?.signedIn(email);
  // Only callers who know the password may learn this.
  if (credential.deactivated) throw accountDeactivated();
  return credential;
}

export function accountDeactivated(): CairnError {
  return fail('FORBIDDEN', { message: 'This account is deactivated. An operator of the server can reactivate it.' });
}

/** Attempts for unknown addresses are not recorded, because people may type a password there. */
async function tell(
  store: Store,
  { accountId, handle, deactivated }: Credential,
  { visitor, good }: { visitor: Visitor; good: boolean },
): Promise<void> {
  const outcome = good && !deactivated ? 'signed in' : 'refused';
  const actor = good ? `user:${handle}` : 'anonymous';
  const entry = { target: `user:${handle}`, details: { outcome }, places: [{ accountId }] };
  await store.write.recordAudit(auditedBy(actor, visitor, { action: 'auth.signIn', ...entry }));
}

export interface NewClientSession {
  readonly grantId: string;
  readonly decidedIn: string;
  readonly accountId: number;
  readonly handle: string;
  readonly client: SessionClient;
  readonly resource: string;
  readonly expiresAt: number;
  readonly origin: Origin;
}

export async function beginClientSession(store: Store, session: NewClientSession): Promise<void> {
  const { grantId: id, decidedIn, accountId, client, resource, expiresAt, origin } = session;
  const details = { clientId: client.id, clientName: client.name, resource };
  const audit = auditedByUser(session, origin, 'auth.authorizeClient', details);
  const begun = { address: origin.address, createdAt: Date.now(), expiresAt, restsOn: { sessionId: decidedIn } };
  await store.write.createSession({ id, accountId, client, ...begun }, audit);
  await store.write.extendOauthItem({ kind: 'Client', idHash: hashCode(client.id), expiresAt });
}
