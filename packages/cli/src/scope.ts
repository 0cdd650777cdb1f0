// Scopes on the command line: `[ORG[/REPO]=]PERMISSION[,PERMISSION]`, or `[ORG[/REPO]=]role:ROLE`.
import type { ScopeEntry } from '@cairn/protocol/account';
import { nearest } from '@cairn/protocol/nearest';
import { isOrganizationRole, isScope, ORGANIZATION_ROLES, SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { UsageError } from './exit-codes.ts';

export const SCOPES_HELP = `
PERMISSION: ${SCOPE_NAMES.join(', ')}.
ROLE: ${Object.keys(ORGANIZATION_ROLES).join(', ')}; it includes all permissions of the role.`;

export function parseScope(text: string): ScopeEntry {
  const [permissions = '', resource] = text.split('=').reverse();
  return {
    ...(resource !== undefined && { resource: checkResource(resource) }),
    permissions: [...new Set(permissions.split(',').flatMap(expand))],
  };
}

export function formatScope({ resource, permissions, refs, shapes }: ScopeEntry): string {
  const place = resource === undefined ? '' : `${resource}=`;
  const role = Object.entries(ORGANIZATION_ROLES).find(([, scopes]) => isSame(scopes, permissions))?.[0];
  const narrowed = [
    ...(refs === undefined ? [] : [`refs ${refs.join(' ')}`]),
    ...(shapes === undefined ? [] : [`shapes ${shapes.join(' ')}`]),
  ];
  const what = role === undefined ? permissions.join(',') : `role:${role}`;
  return `${place}${what}${narrowed.length === 0 ? '' : ` (${narrowed.join('; ')})`}`;
}

function isSame(role: readonly Scope[], permissions: readonly Scope[]): boolean {
  return role.length === permissions.length && role.every((scope) => permissions.includes(scope));
}

function checkResource(resource: string): string {
  if (!/^[^/=\s]+(\/[^/=\s]+)?$/.test(resource)) throw new UsageError(`${resource} is not ORG or ORG/REPO.`);
  return resource;
}

function expand(permission: string): Scope[] {
  if (isScope(permission)) return [permission];
  const role = permission.replace(/^role:/, '');
  if (permission.startsWith('role:') && isOrganizationRole(role)) return [...ORGANIZATION_ROLES[role]];
  const known = [...SCOPE_NAMES, ...Object.keys(ORGANIZATION_ROLES).map((name) => `role:${name}`)];
  const [meant] = nearest(permission, known);
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new UsageError(`${permission || 'An empty scope'} is not a scope. Use one of ${known.join(', ')}.${question}`);
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export function parseLifetime(text: string): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (unit === undefined) throw new UsageError(`${text} is not a duration. Write 90d, 12h or 30m.`);
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
