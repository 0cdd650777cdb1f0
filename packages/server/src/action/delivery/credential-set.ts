// Operations on credential sets. Nobody can read their values.

import { fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import type { CredentialEvent, CredentialSet } from '@cairn/protocol/subscription';
import { authorOf } from '../../access/access.ts';
import { shownAuthor } from '../../access/audit.ts';
import type { Context, Keys } from '../../access/context.ts';
import { openList } from '../../access/cursor.ts';
import { auditedAtHome, authorizeHome, type HomeGrant } from '../../access/home.ts';
import { openOwnSet, provisionSet } from '../../component/provision.ts';
import { withoutNulls } from '../../engine/row.ts';
import { createScrubber } from '../../keys/scrub.ts';
import { seal, unseal } from '../../keys/sealing.ts';
import type { Store } from '../../store.ts';
import {
  type CredentialSetChange,
  type FoundCredentialSet,
  findCredentialSet,
  listCredentialSets as findSets,
} from './credential-set.sql.ts';
import { listCredentialEvents as findEvents, type UseRefusal } from './credential-set-use.write.ts';
import {
  type DeliveryTarget,
  deliveryHeaders,
  keysFor,
  problemOf,
  RIVALS,
  type SignedDelivery,
  secretsOf,
  type Values,
} from './delivery-header.ts';

export async function listCredentialSets(
  context: Context,
  { limit, cursor, ...address }: ProcedureArguments<'credential.list'>,
): Promise<Page<CredentialSet>> {
  const { store } = context;
  const home = await authorizeHome(context, address);
  const list = openList<[string]>(context, 'credential.list', { homeId: home.homeId }, { cursor, limit });
  const [after] = list.after ?? [''];
  const found = await findSets(store.database, { homeId: home.homeId, after, limit: limit + 1 });
  const page = list.toPage(found, ({ name }) => [name]);
  return { ...page, items: page.items.map((set) => toCredentialSet(home, set)) };
}

export async function getCredentialSet(
  context: Context,
  { name, ...address }: ProcedureArguments<'credential.get'>,
): Promise<CredentialSet> {
  const home = await authorizeHome(context, address);
  return toCredentialSet(home, await findCredentialSet(context.store.database, { homeId: home.homeId, name }));
}

export async function createCredentialSet(
  context: Context,
  { name, description, ...address }: ProcedureArguments<'credential.create'>,
): Promise<CredentialSet> {
  if (context.principal.kind === 'component') {
    // For the setup token of a component, an existing set counts as success.
    const home = await provisionSet(context, { name, ...address });
    return toCredentialSet(home, await findCredentialSet(context.store.database, { homeId: home.homeId, name }));
  }
  const home = await authorizeHome(context, address);
  const credentialSetId = crypto.randomUUID();
  const change = changeOf(context, { home, credentialSetId, name });
  const made = await context.store.write.createCredentialSet(
    { ...change, description },
    auditedAtHome(context, home, 'credential.create', name),
  );
  return toCredentialSet(home, made);
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
  const set = await context.store.write.setCredentialKeys(
    { ...change, fingerprint: context.keys.fingerprint, keys: sealed, rivals: RIVALS },
    auditedAtHome(context, home, 'credential.setKeys', name, { keys: Object.keys(keys) }),
  );
  return toCredentialSet(home, set);
}

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
  const entry = auditedAtHome(context, home, 'credential.unsetKey', name, { key });
  return toCredentialSet(home, await context.store.write.unsetCredentialKey({ ...change, key }, entry));
}

export const revokeCredentialSet = endingSet('credential.revoke', 'revokeCredentialSet');
export const deleteCredentialSet = endingSet('credential.delete', 'deleteCredentialSet');

function endingSet(
  action: 'credential.revoke' | 'credential.delete',
  write: 'revokeCredentialSet' | 'deleteCredentialSet',
) {
  return async (context: Context, address: ProcedureArguments<'credential.get'>): Promise<CredentialSet> => {
    const { home, change } = await findChange(context, address);
    const entry = auditedAtHome(context, home, action, address.name);
    return toCredentialSet(home, await context.store.write[write](change, entry));
  };
}

export async function listCredentialEvents(
  context: Context,
  { name, limit, cursor, ...address }: ProcedureArguments<'credential.audit'>,
): Promise<Page<CredentialEvent>> {
  const { store } = context;
  const home = await authorizeHome(context, address);
  const { homeId } = home;
  const { credentialSetId } = await findCredentialSet(store.database, { homeId, name });
  const list = openList<[number, string]>(context, 'credential.audit', { homeId, credentialSetId }, { cursor, limit });
  const found = await findEvents(store.database, { homeId, credentialSetId, before: list.after, limit: limit + 1 });
  const page = list.toPage(found, ({ at, eventId }) => [at, eventId]);
  const items = page.items.map(({ eventId: _, ...event }) => ({ ...event, actor: shownBy(home, event.actor) }));
  return { ...page, items };
}

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

function toCredentialSet(home: HomeGrant, set: FoundCredentialSet): CredentialSet {
  const { credentialSetId: _, createdBy, keys, ...shown } = set;
  return {
    orgName: home.orgName,
    ...(home.repoName !== undefined && { repoName: home.repoName }),
    ...withoutNulls(shown),
    createdBy: shownBy(home, createdBy),
    keys: keys.map((held) => ({ ...held, setBy: shownBy(home, held.setBy) })),
  };
}

function shownBy({ grant }: HomeGrant, author: string): string {
  return grant === undefined ? author : shownAuthor(grant, { createdBy: author }).createdBy;
}

export interface CredentialUse {
  readonly homeId: number;
  readonly credentialSetId: string;
  /** The user: `subscription:NAME` or `component:ORG/NAME`. */
  readonly actor: string;
  readonly target: DeliveryTarget | 'command';
  readonly origin: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface DeliveryUse extends CredentialUse {
  readonly target: DeliveryTarget;
}

export const NO_CREDENTIALS: OpenedCredentials = { headersFor: () => ({}), scrub: (text) => text };

export interface OpenedCredentials {
  headersFor(delivery: SignedDelivery): Record<string, string>;
  /** Removes every value of the set from a text. Call it before truncating, or part of a value could remain. */
  scrub(text: string): string;
}

export interface RefusedCredentials {
  readonly code: 'CREDENTIALS_REVOKED' | 'CREDENTIALS_UNBOUND' | 'CREDENTIALS_MISSING';
  readonly message: string;
}

const REFUSALS: Readonly<Record<UseRefusal, RefusedCredentials>> = {
  revoked: {
    code: 'CREDENTIALS_REVOKED',
    message: 'The credential set was revoked. Bind the subscription to another one, or unbind it.',
  },
  unbound: {
    code: 'CREDENTIALS_UNBOUND',
    message:
      'The credential set was first used for another origin. Use a separate set for this origin, or set all keys of this set again to move it here.',
  },
  missing: {
    code: 'CREDENTIALS_MISSING',
    message: 'The credential set has no key for webhooks. Set one, such as WEBHOOK_SIGNING_SECRET, or unbind the set.',
  },
};

export async function openCredentials(
  opener: { store: Store; keys: Keys },
  use: DeliveryUse,
): Promise<OpenedCredentials | RefusedCredentials> {
  const { target } = use;
  const values = await openValues(opener, use, keysFor(target));
  if (typeof values === 'string') return REFUSALS[values];
  return {
    headersFor: (delivery) => deliveryHeaders(values, target, delivery),
    scrub: createScrubber(secretsOf(values)),
  };
}

export async function openValues(
  { store, keys }: { store: Store; keys: Keys },
  { details, ...use }: CredentialUse,
  wanted: readonly string[],
): Promise<Values | UseRefusal> {
  const { homeId, credentialSetId, target } = use;
  const used = await store.write.useCredentialSet({ ...use, wanted, details: { target, ...details }, now: Date.now() });
  if ('refusal' in used) return used.refusal;
  const opened = used.values.map(({ key, value }): [string, string] => [
    key,
    unseal(keys.sealing, { homeId, credentialSetId, key }, value),
  ]);
  return new Map(opened);
}
