// Scopes on the command line: `[ORG[/REPO]=]PERMISSION[,PERMISSION]`, or `[ORG[/REPO]=]role:ROLE`.

import { isOrganizationRole, ORGANIZATION_ROLES } from '@cairn/protocol/roles';
import { isScope, SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import type { ScopeEntry } from '@cairn/protocol/token';
import { UsageError } from './exit-codes.ts';

export function parseScope(text: string): ScopeEntry {
  const [permissions = '', resource] = text.split('=').reverse();
  return {
    ...(resource !== undefined && { resource: checkResource(resource) }),
    permissions: [...new Set(permissions.split(',').flatMap(expand))],
  };
}

function checkResource(resource: string): string {
  if (!/^[^/=\s]+(\/[^/=\s]+)?$/.test(resource)) throw new UsageError(`${resource} is not ORG or ORG/REPO.`);
  return resource;
}

function expand(permission: string): Scope[] {
  if (isScope(permission)) return [permission];
  const role = permission.replace(/^role:/, '');
  if (permission.startsWith('role:') && isOrganizationRole(role)) return [...ORGANIZATION_ROLES[role]];
  const roles = Object.keys(ORGANIZATION_ROLES).map((name) => `role:${name}`);
  throw new UsageError(
    `${permission || 'An empty scope'} is not a scope. Use one of ${[...SCOPE_NAMES, ...roles].join(', ')}.`,
  );
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90d`, `12h` or `30m`, in milliseconds. */
export function parseLifetime(text: string): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (unit === undefined) throw new UsageError(`${text} is not a length of time. Write 90d, 12h or 30m.`);
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
