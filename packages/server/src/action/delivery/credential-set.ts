// Credential sets: who may make and change them. Nobody reads their values.
import type { CredentialEvent, CredentialSet } from '@cairn/protocol/credential';
import { fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import { authorOf, shownAuthor } from '../../access/attribution.ts';
import type { AuditEntry } from '../../access/audit.sql.ts';
import { type Audited, audited } from '../../access/audit.ts';
import type { Context } from '../../access/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../../access/cursor.ts';
import { authorizeHome, type HomeGrant, homeTarget } from '../../access/home.ts';
import { openOwnSet, provisionSet } from '../../component/provision.ts';
import { seal } from '../../keys/sealing.ts';
import { listCredentialEvents as findEvents } from './credential-event.sql.ts';
import {
  type CredentialSetChange,
  type FoundCredentialSet,
  findCredentialSet,
  listCredentialSets as findSets,
} from './credential-set.sql.ts';
import { problemOf, RIVALS } from './delivery-header.ts';

export async function listCredentialSets(
  context: Context,
  { limit, cursor, ...address }: ProcedureArguments<'credential.list'>,
): Promise<Page<CredentialSet>> {
  const { store, keys } = context;
  const home = await authorizeHome(context, address);
  const list = { procedure: 'credential.list', parameters: { homeId: home.homeId } } as const;
  const [after] = cursor === undefined ? [''] : decodeCursor<[string]>(keys.cursor, { ...list, cursor });
  const found = await findSets(store.database, { homeId: home.homeId, after, limit: limit + 1 });
  const page = toPage(found, {
    limit,
    cursorAfter: ({ name }) => encodeCursor(keys.cursor, { ...list, position: [name] }),
  });
  return { ...page, items: page.items.map((set) => shown(home, set)) };
}

export async function getCredentialSet(
  context: Context,
  { name, ...address }: ProcedureArguments<'credential.get'>,
): Promise<CredentialSet> {
  const home = await authorizeHome(context, address);
  return shown(home, await findCredentialSet(context.store.database, { homeId: home.homeId, name }));
}

export async function createCredentialSet(
  context: Context,
  { name, description, ...address }: ProcedureArguments<'credential.create'>,
): Promise<CredentialSet> {
  if (context.principal.kind === 'component') return await provision(context, { name, ...address });
  const home = await authorizeHome(context, address);
  const credentialSetId = crypto.randomUUID();
  const change = changeOf(context, { home, credentialSetId, name });
  const made = await context.store.write(
    'createCredentialSet',
    { ...change, description },
    told(context, home, { action: 'credential.create', name }),
  );
  return shown(home, made);
}

/** By the setup token of a component: one that is there already is what it wanted. */
async function provision(context: Context, address: ProcedureArguments<'credential.get'>): Promise<CredentialSet> {
  const home = await provisionSet(context, address);
  const { homeId } = home;
  return shown(home, await findCredentialSet(context.store.database, { homeId, name: address.name }));
}

export async function setCredentialKeys(
  context: Context,
  { name, keys, ...address }: ProcedureArguments<'credential.setKeys'>,
): Promise<CredentialSet> {
  const { home, change } = await findChange(context, { name, ...address });
  requireGood(keys);
  const sealed = Object.entries(keys).map(([key, value]) => ({
    key,
    value: seal(context.keys.sealing, { ...change, key }, value),
  }));
  const set = await context.store.write(
    'setCredentialKeys',
    { ...change, fingerprint: context.keys.fingerprint, keys: sealed, rivals: RIVALS },
    told(context, home, { action: 'credential.setKeys', name, details: { keys: Object.keys(keys) } }),
  );
  return shown(home, set);
}

/** The details name the keys, and hold nothing of the values. */
function requireGood(keys: Readonly<Record<string, string>>): void {
  const details = Object.entries(keys).flatMap(([key, value]) => {
    const problem = problemOf(key, value);
    return problem === undefined ? [] : [{ path: `keys.${key}`, message: `${key} ${problem}.` }];
  });
  const [first] = details;
  if (first !== undefined) throw fail('VALIDATION_ERROR', { message: first.message, details });
}

export async function unsetCredentialKey(
  context: Context,
  { name, key, ...address }: ProcedureArguments<'credential.unsetKey'>,
): Promise<CredentialSet> {
  const { home, change } = await findChange(context, { name, ...address });
  const entry = told(context, home, { action: 'credential.unsetKey', name, details: { key } });
  return shown(home, await context.store.write('unsetCredentialKey', { ...change, key }, entry));
}

export async function revokeCredentialSet(
  context: Context,
  address: ProcedureArguments<'credential.revoke'>,
): Promise<CredentialSet> {
  const { home, change } = await findChange(context, address);
  const entry = told(context, home, { action: 'credential.revoke', name: address.name });
  return shown(home, await context.store.write('revokeCredentialSet', change, entry));
}

export async function deleteCredentialSet(
  context: Context,
  address: ProcedureArguments<'credential.delete'>,
): Promise<CredentialSet> {
  const { home, change } = await findChange(context, address);
  const entry = told(context, home, { action: 'credential.delete', name: address.name });
  return shown(home, await context.store.write('deleteCredentialSet', change, entry));
}

export async function listCredentialEvents(
  context: Context,
  { name, limit, cursor, ...address }: ProcedureArguments<'credential.audit'>,
): Promise<Page<CredentialEvent>> {
  const { store, keys } = context;
  const home = await authorizeHome(context, address);
  const { homeId } = home;
  const { credentialSetId } = await findCredentialSet(store.database, { homeId, name });
  const list = { procedure: 'credential.audit', parameters: { homeId, credentialSetId } } as const;
  const before = cursor === undefined ? undefined : decodeCursor<[number, string]>(keys.cursor, { ...list, cursor });
  const found = await findEvents(store.database, { homeId, credentialSetId, before, limit: limit + 1 });
  const page = toPage(found, {
    limit,
    cursorAfter: ({ at, eventId }) => encodeCursor(keys.cursor, { ...list, position: [at, eventId] }),
  });
  const items = page.items.map(({ eventId: _, ...event }) => ({ ...event, actor: shownBy(home, event.actor) }));
  return { ...page, items };
}

/** The set that a change is to, by the name that it has now. */
async function findChange(
  context: Context,
  { name, ...address }: ProcedureArguments<'credential.get'>,
): Promise<{ home: HomeGrant; change: CredentialSetChange }> {
  const isComponent = context.principal.kind === 'component';
  const home = isComponent ? await openOwnSet(context, { name, ...address }) : await authorizeHome(context, address);
  const { homeId } = home;
  const { credentialSetId } = await findCredentialSet(context.store.database, { homeId, name });
  return { home, change: changeOf(context, { home, credentialSetId, name }) };
}

function changeOf(
  { principal }: Context,
  { home, credentialSetId, name }: { home: HomeGrant; credentialSetId: string; name: string },
): CredentialSetChange {
  return { homeId: home.homeId, credentialSetId, name, actor: authorOf(principal), now: Date.now() };
}

interface Told extends Pick<Audited, 'action' | 'details'> {
  readonly name: string;
}

function told(context: Context, home: HomeGrant, { name, ...entry }: Told): AuditEntry {
  return audited(context, { ...entry, ...homeTarget(home, name) });
}

function shown(home: HomeGrant, set: FoundCredentialSet): CredentialSet {
  const { credentialSetId: _, boundOrigin, boundFallbackOrigin, unboundAt, revokedAt, component, keys, ...rest } = set;
  return {
    orgName: home.orgName,
    ...(home.repoName !== undefined && { repoName: home.repoName }),
    ...rest,
    createdBy: shownBy(home, rest.createdBy),
    keys: keys.map((held) => ({ ...held, setBy: shownBy(home, held.setBy) })),
    ...(boundOrigin !== null && { boundOrigin }),
    ...(boundFallbackOrigin !== null && { boundFallbackOrigin }),
    ...(unboundAt !== null && { unboundAt }),
    ...(revokedAt !== null && { revokedAt }),
    ...(component !== null && { component }),
  };
}

function shownBy({ grant }: HomeGrant, author: string): string {
  return grant === undefined ? author : shownAuthor(grant, { createdBy: author }).createdBy;
}
