// Grants without an authorization check, for tests of the store.
import type { Grant, OrganizationGrant } from '../../packages/server/src/access/grant.rule.ts';
import { findOrganization } from '../../packages/server/src/repository/organization.sql.ts';
import { findRepository, type RepositoryAddress } from '../../packages/server/src/repository/repository.sql.ts';
import type { Store } from '../../packages/server/src/store.ts';

export async function grantOn({ database }: Store, address: RepositoryAddress): Promise<Grant> {
  const found = await findRepository(database, address);
  if (found === undefined) throw new Error(`there is no ${address.orgName}/${address.repoName}`);
  return { ...found, scope: 'repo:admin' } as Grant;
}

export async function organizationGrantOn({ database }: Store, name: string): Promise<OrganizationGrant> {
  const found = await findOrganization(database, name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return { ...found, scope: 'org:admin' } as OrganizationGrant;
}
