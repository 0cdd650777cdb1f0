// What it takes to install a component: nobody gives it what they do not hold.
import type { Granted } from '@cairn/protocol/component';
import { fail } from '@cairn/protocol/errors';
import type { Manifest } from '@cairn/protocol/manifest';
import type { Scope } from '@cairn/protocol/scopes';
import { hasScope, roleScopesIn } from '../access/access.ts';
import { allowanceOf } from '../access/allowance.ts';
import type { Context } from '../access/context.ts';
import type { FoundRepository } from '../repository/repository.sql.ts';

const hasTargets = ({ subscriptions, credentials }: Manifest) => subscriptions.length > 0 || credentials.length > 0;

/** To pause it, or tear it down. */
export function managingScopes(manifest: Manifest): Scope[] {
  return ['repo:write', ...(hasTargets(manifest) ? (['repo:configure'] as const) : [])];
}

/** To install, update or resume it. */
export function installingScopes(manifest: Manifest): Scope[] {
  const reads = manifest.runtimeAccess?.reads ?? [];
  const tells = manifest.subscriptions.length > 0 || reads.length > 0;
  return [...managingScopes(manifest), ...(tells ? (['repo:read'] as const) : [])];
}

export function grantedBy(manifest: Manifest): Granted {
  const { reads = [], writes = [] } = manifest.runtimeAccess ?? {};
  return { scopes: installingScopes(manifest), reads: [...reads], writes: [...writes] };
}

export function requireScopes(context: Context, found: FoundRepository, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !holds(context, found, scope));
  if (missing.length === 0) return;
  const named = missing.map((scope) => (scope === 'repo:read' ? 'a repo:read that is not narrowed' : scope));
  const byRole = roleScopesIn(context.principal, found);
  const withheldBy = missing.every((scope) => byRole.includes(scope)) ? 'token' : 'role';
  throw fail('FORBIDDEN', {
    message: `What this component has in the repository takes ${named.join(' and ')}, which you do not have here. Use a token, or ask for a role, that has.`,
    details: { missing, withheldBy },
  });
}

function holds(context: Context, found: FoundRepository, scope: Scope): boolean {
  const narrowed = scope === 'repo:read' && allowanceOf(context.principal, found).narrowing !== undefined;
  return hasScope(context, found, scope) && !narrowed;
}
