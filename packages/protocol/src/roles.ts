// Roles and the scopes that each gives.
import type { Scope } from './scopes.ts';

const read: Scope[] = ['repo:read', 'repo:checkpoint-read'];
const write: Scope[] = [...read, 'repo:write', 'repo:action-callback', 'repo:checkpoint-generate'];
const maintain: Scope[] = [...write, 'repo:configure'];
const admin: Scope[] = [...maintain, 'repo:admin'];

export const REPOSITORY_ROLES = { read, write, maintain, admin } as const satisfies Record<string, readonly Scope[]>;

/** What somebody is in a repository. */
export type RepositoryRole = keyof typeof REPOSITORY_ROLES;

/** What an organization role gives in the organization, and in each of its repositories. */
export const ORGANIZATION_ROLES = {
  viewer: ['org:read', ...read],
  editor: ['org:read', ...write],
  admin: ['org:read', 'org:configure', 'org:action-callback', ...admin],
  owner: ['org:read', 'org:configure', 'org:action-callback', 'org:admin', ...admin],
} as const satisfies Record<string, readonly Scope[]>;

/** What a member of an organization is. */
export type OrganizationRole = keyof typeof ORGANIZATION_ROLES;

export function organizationScopes(role: OrganizationRole | null): readonly Scope[] {
  return role === null ? [] : ORGANIZATION_ROLES[role];
}

export function isOrganizationRole(name: string): name is OrganizationRole {
  return Object.hasOwn(ORGANIZATION_ROLES, name);
}

export function isRepositoryRole(name: string): name is RepositoryRole {
  return Object.hasOwn(REPOSITORY_ROLES, name);
}
