// Who sees what is installed in a repository. One that is private is, for who is outside its organization, as if it were not
// there, unless they may configure the repository that it acts in.
import { fail } from '@cairn/protocol/errors';
import { authorize, hasScope } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { requireCredential } from '../access/requirement.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import { isMember } from './access.ts';
import { type ComponentRef, componentNotFound, type FoundComponent, findComponent } from './component.sql.ts';
import { type FoundInstall, findInstall } from './install.sql.ts';
import { notInstalled } from './install-change.write.ts';

/** To see what is installed, and how it is: for who may read all. */
export async function authorizeSight(context: Context, address: RepositoryAddress): Promise<Grant> {
  requireCredential(context.principal, 'repo:read');
  const grant = await authorize(context, address, 'repo:read');
  if (grant.narrowing === undefined) return grant;
  throw fail('FORBIDDEN', {
    message:
      'What is installed is for who may read all, and the repo:read of this token is narrowed. Use one that is not.',
    details: { missing: ['repo:read'] },
  });
}

/** One that was torn down too. */
export async function seeInstall(context: Context, grant: Grant, ref: ComponentRef): Promise<FoundInstall> {
  const { database } = context.store;
  const component = await findComponent(database, ref);
  if (component === undefined) throw componentNotFound();
  const install = await findInstall(database, { repoId: grant.repoId, componentId: component.componentId });
  const seen = install !== undefined && hasScope(context, grant, 'repo:configure');
  if (!seen && !(await isOpenTo(context, component))) throw componentNotFound();
  if (install !== undefined) return install;
  throw component.unregisteredAt === undefined ? notInstalled() : componentNotFound();
}

export async function isOpenTo(context: Context, { visibility, orgName }: FoundComponent): Promise<boolean> {
  return visibility === 'public' || (await isMember(context, orgName));
}
