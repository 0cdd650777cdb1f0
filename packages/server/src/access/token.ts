// Operations on personal access tokens. A session manages all tokens of its account; a token manages its descendants.

import { invalidField } from '@cairn/model/operation';
import type { TokenRecord } from '@cairn/protocol/account';
import type { AuditAction } from '@cairn/protocol/audit-action';
import { CairnError, fail } from '@cairn/protocol/errors';
import { findRepository } from '../repository/repository.sql.ts';
import type { Store } from '../store.ts';
import { accountOf, authorizeReads, requireAccount, sightOf } from './access.ts';
import type { AuditEntry } from './audit.sql.ts';
import { type Audited, audited } from './audit.ts';
import type { Context, Operation, Origin } from './context.ts';
import { openList } from './cursor.ts';
import { compileNarrowing } from './narrowing.rule.ts';
import { seeOrganization } from './organization-access.ts';
import { type AccountPrincipal, hashToken, mintToken } from './principal.ts';
import { type FoundToken, listTokens as findTokens, type Management, requireToken } from './token.sql.ts';
import { describeScopes, findOrganizationIds } from './token-scope.sql.ts';
import { type ResolvedScope, requireWithin, resolveScopes, type Sight } from './token-scope.ts';

const DAY_MS = 86_400_000;
const DEFAULT_LIFETIME_MS = 30 * DAY_MS;
const MAX_LIFETIME_MS = 365 * DAY_MS;
const PREVIOUS_VALID_MS = DAY_MS;

function managementOf(principal: AccountPrincipal): Management {
  return { accountId: principal.accountId, ancestorId: principal.kind === 'token' ? principal.tokenId : undefined };
}

export const listTokens: Operation<'token.list'> = async (context, { cursor, limit }) => {
  const { store, principal } = context;
  const management = managementOf(requireAccount(principal));
  const { accountId, ancestorId } = management;
  const list = openList<[string]>(context, 'token.list', { accountId, ancestorId }, { cursor, limit });
  const [after] = list.after ?? [''];
  const found = await findTokens(store.database, management, { after, limit: limit + 1 });
  const page = list.toPage(found, ({ name }) => [name]);
  return { ...page, items: await toRecords(store, accountId, page.items) };
};

export const getToken: Operation<'token.get'> = async ({ store, principal }, { name }) => {
  const management = managementOf(requireAccount(principal));
  const found = await requireToken(store.database, management, name);
  return await toRecord(store, management, found);
};

export async function toRecord(store: Store, { accountId }: Management, token: FoundToken): Promise<TokenRecord> {
  const [record] = await toRecords(store, accountId, [token]);
  if (record === undefined) throw new Error('a token has no record');
  return record;
}

export async function toRecords(
  store: Store,
  accountId: number,
  tokens: readonly FoundToken[],
): Promise<TokenRecord[]> {
  const used = await store.usage.findUses(tokens.map(({ id }) => id));
  const described = await describeScopes(
    store.database,
    accountId,
    tokens.flatMap(({ scopes }) => scopes),
  );
  let taken = 0;
  return tokens.map(({ id, name, description, parent, createdAt, expiresAt, revokedAt, scopes }) => {
    const first = taken;
    taken += scopes.length;
    const lastUsedAt = used.get(id);
    return {
      name,
      description,
      scopes: described.slice(first, taken),
      createdBy: parent === null ? 'session' : `token:${parent.name}`,
      createdAt,
      expiresAt,
      ...(lastUsedAt !== undefined && { lastUsedAt }),
      ...(revokedAt !== null && { revokedAt }),
    };
  });
}

export const createToken: Operation<'token.create'> = async (
  context,
  { name, description = '', scopes: asked, expiresAt },
) => {
  const { store } = context;
  const principal = requireAccount(context.principal);
  const scopes = await resolveScopes(store.database, asked, makerSight(context));
  const parent = principal.kind === 'token' ? principal : undefined;
  if (parent !== undefined) await requireWithin(store.database, parent, scopes);
  const now = Date.now();
  const token = mintToken();
  const record = {
    accountId: principal.accountId,
    name,
    description,
    hash: hashToken(token),
    scopes,
    createdAt: now,
    expiresAt: endOf(expiresAt, now, parent?.expiresAt),
    parentId: parent?.tokenId,
  };
  const told = { name, details: { scopes: asked, expiresAt: record.expiresAt }, elsewhere: tellingOf(scopes) };
  const audit = tokenTold({ ...context, principal }, { action: 'token.create', ...told });
  await store.write.createToken(record, audit);
  return { ...(await getToken({ ...context, principal }, { name })), token };
};

export function endOf(
  asked: number | undefined,
  now: number,
  parentExpiresAt: number = Number.MAX_SAFE_INTEGER,
): number {
  const chosen = asked ?? Math.min(now + DEFAULT_LIFETIME_MS, parentExpiresAt);
  if (chosen <= now) throw endRefused('The end of a token must be in the future. Choose a later end.');
  if (chosen > now + MAX_LIFETIME_MS) throw endRefused('A token is valid for at most 1 year. Choose an earlier end.');
  if (chosen > parentExpiresAt) {
    const end = new Date(parentExpiresAt).toISOString();
    throw endRefused(
      `The creating token ends at ${end}. Choose an earlier end, or leave it out.`,
      'With a session you can create tokens that last longer. Unset CAIRN_TOKEN, and sign in with `cairn auth login`.',
    );
  }
  return chosen;
}

function endRefused(message: string, hint?: string): CairnError {
  const details = [{ path: 'expiresAt', message }];
  return fail('VALIDATION_ERROR', { message, details, ...(hint !== undefined && { hint }) });
}

export const rotateToken: Operation<'token.rotate'> = async (
  { store, principal, origin },
  { name, expiresAt, previousValidUntil },
) => {
  const holder = requireAccount(principal);
  const management = managementOf(holder);
  const found = await requireToken(store.database, management, name);
  const now = Date.now();
  const previousUntil = previousValidUntil ?? now + PREVIOUS_VALID_MS;
  if (previousUntil > now + PREVIOUS_VALID_MS) {
    throw invalidField(
      'previousValidUntil',
      'The old value can stay valid for at most 24 hours. Choose an earlier end.',
    );
  }
  const end = expiresAt === undefined ? found.expiresAt : endOf(expiresAt, now, found.parent?.expiresAt);
  const token = mintToken();
  const rotation = { management, name, hash: hashToken(token), expiresAt: end, previousUntil, now };
  const told = { name, details: { expiresAt: end }, elsewhere: await tellAlike(store, found) };
  const audit = tokenTold({ principal: holder, origin }, { action: 'token.rotate', ...told });
  const rotated = await store.write.rotateToken(rotation, audit);
  return { ...(await toRecord(store, management, rotated)), token, previousValidUntil: previousUntil };
};

export const revokeToken: Operation<'token.revoke'> = async ({ store, principal, origin }, { name }) => {
  const holder = requireAccount(principal);
  const management = managementOf(holder);
  const found = await requireToken(store.database, management, name);
  const elsewhere = await tellAlike(store, found);
  const audit = tokenTold({ principal: holder, origin }, { action: 'token.revoke', name, elsewhere });
  const again = found.revokedAt !== null;
  const revoked = await store.write.revokeToken({ management, name, now: Date.now() }, again ? undefined : audit);
  return await toRecord(store, management, revoked);
};

type Telling = ReadonlyMap<number, Audited['details']>;

/** Each organization sees only its own entries, and only the number of refs and shapes. */
function tellingOf(scopes: readonly ResolvedScope[]): Telling {
  const named = scopes.filter(({ place }) => place.orgId !== undefined);
  const byOrganization = Map.groupBy(named, ({ place }) => place.orgId ?? 0);
  const shown = ({ resource, permissions, refs, shapes }: ResolvedScope) => ({
    resource,
    permissions,
    ...(refs !== null && { refs: refs.length }),
    ...(shapes !== null && { shapes: shapes.length }),
  });
  return new Map([...byOrganization].map(([orgId, own]) => [orgId, { scopes: own.map(shown) }]));
}

async function tellAlike({ database }: Store, { scopes }: FoundToken): Promise<Telling> {
  const orgIds = await findOrganizationIds(database, scopes);
  return new Map(orgIds.map((orgId) => [orgId, {}]));
}

interface TokenEvent {
  readonly action: AuditAction;
  readonly name: string;
  readonly details?: Audited['details'];
  readonly elsewhere: Telling;
}

function tokenTold(
  { principal, origin }: { principal: AccountPrincipal; origin: Origin },
  { action, name, elsewhere, details = {} }: TokenEvent,
): AuditEntry {
  const { accountId, handle } = principal;
  const foreign = [...elsewhere].map(([foreignOrgId, own = {}]) => ({ foreignOrgId, heldBy: accountId, details: own }));
  const places = [{ accountId }, ...foreign];
  return audited({ principal, origin }, { action, target: `token:${handle}/${name}`, details, places });
}

function makerSight(context: Context): Sight {
  const { principal, store } = context;
  return {
    sees: ({ orgName, repoName }) =>
      isSeen(async () =>
        repoName === undefined
          ? await seeOrganization(context, orgName)
          : sightOf(principal, await findRepository(store.database, { orgName, repoName }, accountOf(principal))),
      ),
    shapesIn: async (repoId) => {
      const [grant] = await authorizeReads(context, { addresses: [], repoIds: [repoId] });
      return grant === undefined ? () => false : compileNarrowing(grant.narrowing);
    },
  };
}

async function isSeen(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof CairnError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
