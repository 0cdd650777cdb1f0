import type { PermissionAnswer } from '@cairn/protocol/member';
import type { Scope } from '@cairn/protocol/scopes';
import type { Call, CallOptions } from './transport.ts';

/**
 * What the caller may do, and why.
 *
 * @example
 * const { allowed, byRole, byToken } = await client.access.checkRepoPermission('acme', 'world', 'repo:write');
 * const { allowed: mayInvite } = await client.access.checkOrgPermission('acme', 'org:admin');
 */
export interface AccessSurface {
  /** By the role and by the token; both must give it. */
  checkRepoPermission(
    orgName: string,
    repoName: string,
    permission: Scope,
    options?: CallOptions,
  ): Promise<PermissionAnswer>;
  /** The same for an organization. */
  checkOrgPermission(orgName: string, permission: Scope, options?: CallOptions): Promise<PermissionAnswer>;
}

export function accessSurface(call: Call): AccessSurface {
  return {
    checkRepoPermission: (orgName, repoName, permission, options) =>
      call('access.checkRepoPermission', { orgName, repoName, permission, ...options }),
    checkOrgPermission: (orgName, permission, options) =>
      call('access.checkOrgPermission', { orgName, permission, ...options }),
  };
}
