// Authorization. `authorize` turns a caller and a repository's address into a grant; functions that touch a
// repository's rows take the grant, so that nobody can forget to ask.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ScopeEntry } from '@cairn/protocol/procedures';
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import type { Principal } from '../auth/principal.ts';
import { type FoundRepository, findRepository, type RepositoryAddress } from '../store/repository.ts';
import type { Context } from './context.ts';

declare const granted: unique symbol;

/** The right to act on one repository with one scope. Only `authorize` makes one. */
export interface Grant extends FoundRepository {
  readonly scope: Scope;
  readonly [granted]: true;
}

export async function authorize(context: Context, address: RepositoryAddress, scope: Scope): Promise<Grant> {
  const { principal, store } = context;
  const found = await findRepository(store.database, address);
  if (found === undefined) throw repositoryNotFound();
  const scopes = scopesOn(principal, found);
  if (scopes.size === 0) throw repositoryNotFound();
  if (!scopes.has(scope)) {
    if (principal.kind === 'anonymous') throw fail('UNAUTHENTICATED', { message: `This needs a token with ${scope}.` });
    throw fail('FORBIDDEN', { message: `This needs the scope ${scope}.`, details: { missing: [scope] } });
  }
  return { ...found, scope } as Grant;
}

/** Missing and hidden are one and the same answer: its text must not depend on which it is. */
function repositoryNotFound(): CairnError {
  return fail('NOT_FOUND', { message: 'There is no such repository, or you may not see it.' });
}

function scopesOn(principal: Principal, { repository }: FoundRepository): Set<Scope> {
  const scopes = new Set<Scope>(repository.visibility === 'public' ? ['repo:read'] : []);
  // Roles come with members; until then an operator may do everything that the token allows, others nothing.
  if (principal.kind === 'anonymous' || !principal.operator) return scopes;
  const path = `${repository.orgName}/${repository.name}`;
  const allowed = permissionsOf(principal.scopes, [path, repository.orgName, undefined]);
  for (const scope of SCOPE_NAMES) if (allowed.includes(scope)) scopes.add(scope);
  return scopes;
}

/** Of the entries that match, those with the narrowest resource decide; entries of one resource add up. */
function permissionsOf(entries: readonly ScopeEntry[], resources: readonly (string | undefined)[]): Scope[] {
  for (const resource of resources) {
    const matching = entries.filter((entry) => entry.resource === resource);
    if (matching.length > 0) return matching.flatMap((entry) => entry.permissions);
  }
  return [];
}
