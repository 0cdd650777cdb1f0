// Authorization for subscriptions, credential sets and runs, which belong to a repository or an organization.
import type { AuditAction } from '@cairn/protocol/audit-action';
import { fail } from '@cairn/protocol/errors';
import { authorize, authorizeBoth } from './access.ts';
import type { AuditEntry } from './audit.sql.ts';
import { type Audited, audited } from './audit.ts';
import type { Context } from './context.ts';
import { type Grant, homeIdOf } from './grant.rule.ts';
import { authorizeOrganization } from './organization-access.ts';

export interface HomeAddress {
  readonly orgName: string;
  readonly repoName?: string | undefined;
}

export interface HomeGrant {
  readonly homeId: number;
  readonly orgId: number;
  readonly orgName: string;
  readonly repoName: string | undefined;
  readonly grant: Grant | undefined;
}

export async function authorizeHome(context: Context, { orgName, repoName }: HomeAddress): Promise<HomeGrant> {
  if (repoName === undefined) return await authorizeOwn(context, orgName);
  return ofRepository(await authorize(context, { orgName, repoName }, 'repo:configure'));
}

/** A subscription forwards every commit, so its creator must be able to read the whole repository. */
export async function authorizeSubscribing(context: Context, { orgName, repoName }: HomeAddress): Promise<HomeGrant> {
  if (repoName === undefined) return await authorizeOwn(context, orgName);
  const grant = await authorizeBoth(context, { orgName, repoName }, ['repo:configure', 'repo:read']);
  if (grant.narrowing !== undefined) {
    throw fail('FORBIDDEN', {
      message:
        'This token can see only part of the repository, but a subscription sends all of it. Use a token without `refs` or `shapes`.',
      details: { missing: ['repo:read'] },
    });
  }
  return ofRepository(grant);
}

async function authorizeOwn(context: Context, orgName: string): Promise<HomeGrant> {
  const { orgId, organization } = await authorizeOrganization(context, orgName, 'org:configure');
  return { homeId: homeIdOf({ orgId }), orgId, orgName: organization.name, repoName: undefined, grant: undefined };
}

export function ofRepository(grant: Grant): HomeGrant {
  const { repoId, orgId, repository } = grant;
  return { homeId: homeIdOf({ repoId }), orgId, orgName: repository.orgName, repoName: repository.name, grant };
}

export function auditedAtHome(
  context: Context,
  { orgName, repoName, orgId }: HomeGrant,
  action: AuditAction,
  name: string,
  details: Audited['details'] = {},
): AuditEntry {
  const target = [orgName, repoName, name].filter((part) => part !== undefined).join('/');
  return audited(context, { action, target, details, places: [{ orgId }] });
}
