import { fail } from '@cairn/protocol/errors';
import type { Repository, RepositoryDeletion } from '@cairn/protocol/organization';
import {
  authorize,
  authorizeRestore,
  authorizeWhole,
  isNarrowedAnywhere,
  requireCredential,
} from '../access/access.ts';
import { audited, auditedIn } from '../access/audit.ts';
import type { Context, Operation } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import {
  authorizeOrganization,
  authorizeProfile,
  REPOSITORY_LISTED_BY,
  reachOf,
} from '../access/organization-access.ts';
import { listRepositories, RESTORABLE_MS, type RepositoryAddress } from './repository.sql.ts';

export async function getRepo(context: Context, address: RepositoryAddress): Promise<Repository> {
  const grant = await authorize(context, address, 'repo:read');
  return grant.repository;
}

export const listRepos: Operation<'repo.list'> = async (context, { orgName, deleted, limit, cursor }) => {
  const { principal, store } = context;
  if (deleted) requireCredential(principal, 'repo:read');
  const list = openList<[string, string]>(context, 'repo.list', { orgName, deleted }, { cursor, limit });
  const [afterOrg, afterRepo] = list.after ?? ['', ''];
  const found = await listRepositories(store.database, {
    reach: reachOf(principal, REPOSITORY_LISTED_BY),
    orgName,
    deletedAfter: deleted ? Date.now() - RESTORABLE_MS : undefined,
    after: { orgName: afterOrg, repoName: afterRepo },
    limit: limit + 1,
    // Callers who see part of a repository must not learn when the rest was written.
    withLastCommit: !isNarrowedAnywhere(principal),
  });
  // An empty list for a hidden organization would conceal a mistyped name.
  if (found.length === 0 && orgName !== undefined) await authorizeProfile(context, orgName);
  return list.toPage(found, (last) => [last.orgName, last.name]);
};

export const createRepo: Operation<'repo.create'> = async (context, { orgName, ...form }) => {
  const { organization, orgId } = await authorizeOrganization(context, orgName, 'org:configure');
  const { name, visibility } = form;
  const audit = audited(context, {
    action: 'repo.create',
    target: `${organization.name}/${name}`,
    details: { visibility },
    places: [{ orgId }],
  });
  const made = await context.store.write.createRepository({ ...form, orgName: organization.name }, audit);
  return made.repository;
};

export const updateRepo: Operation<'repo.update'> = async (context, { orgName, repoName, ...update }) => {
  const grant = await authorize(context, { orgName, repoName }, 'repo:configure');
  return await context.store.write.updateRepository({ grant, ...update });
};

export const renameRepo: Operation<'repo.rename'> = async (context, { newName, ...address }) => {
  const grant = await authorize(context, address, 'repo:admin');
  const audit = auditedIn(context, grant, 'repo.rename', { newName });
  return await context.store.write.renameRepository({ grant, newName }, audit);
};

export const setRepoVisibility: Operation<'repo.setVisibility'> = async (context, { visibility, ...address }) => {
  // Otherwise a token that sees part of a repository could publish the rest.
  const narrowed = () =>
    fail('FORBIDDEN', {
      message:
        'This token can see only part of the repository, so it cannot change who sees all of it. Use a token without `refs` or `shapes`.',
    });
  const grant = await authorizeWhole(context, address, 'repo:admin', narrowed);
  const audit = auditedIn(context, grant, 'repo.setVisibility', { visibility });
  return await context.store.write.setRepositoryVisibility({ grant, visibility }, audit);
};

export async function archiveRepo(context: Context, address: RepositoryAddress): Promise<Repository> {
  const grant = await authorize(context, address, 'repo:admin');
  const audit = auditedIn(context, grant, 'repo.archive');
  return await context.store.write.setRepositoryArchived({ grant, archived: true, now: Date.now() }, audit);
}

export async function unarchiveRepo(context: Context, address: RepositoryAddress): Promise<Repository> {
  const grant = await authorize(context, address, 'repo:admin');
  const audit = auditedIn(context, grant, 'repo.unarchive');
  return await context.store.write.setRepositoryArchived({ grant, archived: false, now: Date.now() }, audit);
}

export async function deleteRepo(context: Context, address: RepositoryAddress): Promise<RepositoryDeletion> {
  const grant = await authorize(context, address, 'repo:admin');
  const audit = auditedIn(context, grant, 'repo.delete');
  return await context.store.write.deleteRepository({ grant, now: Date.now() }, audit);
}

export async function restoreRepo(context: Context, address: RepositoryAddress): Promise<Repository> {
  const grant = await authorizeRestore(context, address);
  const audit = auditedIn(context, grant, 'repo.restore');
  return await context.store.write.restoreRepository({ grant, now: Date.now() }, audit);
}

export const transferRepo: Operation<'repo.transfer'> = async (context, { newOrgName, ...address }) => {
  const grant = await authorize(context, address, 'repo:admin');
  const newOrganization = await authorizeOrganization(context, newOrgName, 'org:configure');
  const audit = auditedIn(context, grant, 'repo.transfer', { newOrgName });
  const places = [...audit.places, { orgId: newOrganization.orgId }];
  return await context.store.write.transferRepository({ grant, newOrganization }, { ...audit, places });
};

export const configureRepo: Operation<'repo.configure'> = async (context, { features, ...address }) => {
  const grant = await authorize(context, address, 'repo:configure');
  const audit = auditedIn(context, grant, 'repo.configure', features);
  return await context.store.write.configureRepository({ grant, ...features }, audit);
};
