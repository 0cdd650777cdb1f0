// What is told of a token: everything to its owner, and to each organization that it is for what is its own.
import type { AuditAction } from '@cairn/protocol/audit-action';
import type { AuditEntry } from './audit.sql.ts';
import { type Audited, audited } from './audit.ts';
import type { Origin } from './context.ts';
import type { AccountPrincipal } from './principal.ts';
import type { ResolvedScope } from './token-scope.ts';

interface Telling {
  /** The organizations that the token is for, besides its owner's own, and what each is told. */
  readonly elsewhere: ReadonlyMap<number, Audited['details']>;
}

/** Each organization learns of its own entries, and of what narrows them only how much there is. */
export function tellingOf(scopes: readonly ResolvedScope[]): Telling {
  const named = scopes.filter(({ place }) => place.orgId !== undefined);
  const byOrganization = Map.groupBy(named, ({ place }) => place.orgId ?? 0);
  const shown = ({ resource, permissions, refs, shapes }: ResolvedScope) => ({
    resource,
    permissions,
    ...(refs !== null && { refs: refs.length }),
    ...(shapes !== null && { shapes: shapes.length }),
  });
  return { elsewhere: new Map([...byOrganization].map(([orgId, own]) => [orgId, { scopes: own.map(shown) }])) };
}

export function tellingAlike(orgIds: readonly number[]): Telling {
  return { elsewhere: new Map(orgIds.map((orgId) => [orgId, {}])) };
}

interface TokenEvent extends Telling {
  readonly action: AuditAction;
  readonly name: string;
  readonly details?: Audited['details'];
}

export function tokenTold(
  { principal, origin }: { principal: AccountPrincipal; origin: Origin },
  { action, name, elsewhere, details = {} }: TokenEvent,
): AuditEntry {
  const { accountId, handle } = principal;
  const foreign = [...elsewhere].map(([foreignOrgId, own = {}]) => ({ foreignOrgId, heldBy: accountId, details: own }));
  const places = [{ accountId }, ...foreign];
  return audited({ principal, origin }, { action, target: `token:${handle}/${name}`, details, places });
}
