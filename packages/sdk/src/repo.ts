import type {
  ContentName,
  RepositoryContent,
  RepositoryDescription,
  RepositoryStats,
} from '@cairn/protocol/description';
import type { RepositoryRoleHolder, RepositoryRoleResult } from '@cairn/protocol/member';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { Repository, RepositoryDeletion } from '@cairn/protocol/repository';
import type { RepositoryRole } from '@cairn/protocol/roles';
import type { Http } from './http.ts';
import { type PersonName, personOf } from './person.ts';
import { type RepoCopySurface, repoCopySurface } from './repo-copy.ts';
import { type RepoStreamSurface, repoStreamSurface } from './repo-stream.ts';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName';

export type ListRepositories = NonNullable<ProcedureInput<'repo.list'>>;
export type CreateRepository = Omit<ProcedureInput<'repo.create'>, 'orgName' | 'name'>;
export type UpdateRepository = Omit<ProcedureInput<'repo.update'>, Address>;
export type RenameRepository = Omit<ProcedureInput<'repo.rename'>, Address>;
export type SetRepositoryVisibility = Omit<ProcedureInput<'repo.setVisibility'>, Address>;
export type TransferRepository = Omit<ProcedureInput<'repo.transfer'>, Address>;
export type ListRoles = Omit<ProcedureInput<'repo.listRoles'>, Address>;
export type ConfigureRepository = Omit<ProcedureInput<'repo.configure'>, Address>;
export type ReadRepository = Omit<ProcedureInput<'repo.describe'>, Address>;
export type GetContent = Omit<ProcedureInput<'repo.getContent'>, Address | 'name'>;
export type SetContent = Omit<ProcedureInput<'repo.setContent'>, Address | 'name' | 'content'>;

/**
 * Repositories.
 *
 * @example
 * await client.repo.create('acme', 'world', { visibility: 'public' });
 * await client.repo.configure('acme', 'world', { features: { streamSubmissions: true } });
 * await client.repo.setContent('acme', 'world', 'readme', '# A world of caves');
 * const { shapes } = await client.repo.describe('acme', 'world');
 */
export interface RepoSurface extends RepoCopySurface, RepoStreamSurface {
  /** One repository, as far as the caller may see it. */
  get(orgName: string, repoName: string): Promise<Repository>;
  /** A page of the repositories that the caller may see, by organization and name. */
  list(options?: ListRepositories): Promise<Page<Repository>>;
  /** Private, unless the options say otherwise. */
  create(orgName: string, repoName: string, options?: CreateRepository): Promise<Repository>;
  /** Changes what is said about it; what is left out stays. */
  update(orgName: string, repoName: string, options: UpdateRepository): Promise<Repository>;
  /** The old name is free at once. */
  rename(orgName: string, repoName: string, options: RenameRepository): Promise<Repository>;
  setVisibility(orgName: string, repoName: string, options: SetRepositoryVisibility): Promise<Repository>;
  /** From then on it takes no writes. */
  archive(orgName: string, repoName: string): Promise<Repository>;
  unarchive(orgName: string, repoName: string): Promise<Repository>;
  /** For 30 days it can be restored. */
  delete(orgName: string, repoName: string): Promise<RepositoryDeletion>;
  restore(orgName: string, repoName: string): Promise<Repository>;
  /** Moves it to another organization. */
  transfer(orgName: string, repoName: string, options: TransferRepository): Promise<Repository>;
  /** Turns features on or off; what is left out stays. */
  configure(orgName: string, repoName: string, options: ConfigureRepository): Promise<Repository>;
  /** What is in it: the shapes with their fields, and how many records each has. */
  describe(orgName: string, repoName: string, options?: ReadRepository): Promise<RepositoryDescription>;
  /** How much is in it, by kind and by shape. */
  stats(orgName: string, repoName: string, options?: ReadRepository): Promise<RepositoryStats>;
  /** Its `readme`, or its text for `agents`; empty, at version 0, until it is written. */
  getContent(orgName: string, repoName: string, name: ContentName, options?: GetContent): Promise<RepositoryContent>;
  /** Writes one of them, as a commit. */
  setContent(
    orgName: string,
    repoName: string,
    name: ContentName,
    content: string,
    options?: SetContent,
  ): Promise<RepositoryContent>;
  /** A page of those who have a role of their own here, by handle; after them the pending invitations, by email. */
  listRoles(orgName: string, repoName: string, options?: ListRoles): Promise<Page<RepositoryRoleHolder>>;
  /** In place of what the organization role gives; null takes it away. An email that nobody is known by is invited. */
  setRole(
    orgName: string,
    repoName: string,
    person: PersonName,
    role: RepositoryRole | null,
  ): Promise<RepositoryRoleResult>;
}

export function repoSurface(call: Call, http: Http): RepoSurface {
  return {
    ...repoCopySurface(call, http),
    ...repoStreamSurface(call, http),
    get: (orgName, repoName) => call('repo.get', { orgName, repoName }),
    list: (options = {}) => call('repo.list', options),
    create: (orgName, name, options = {}) => call('repo.create', { orgName, name, ...options }),
    update: (orgName, repoName, options) => call('repo.update', { orgName, repoName, ...options }),
    rename: (orgName, repoName, options) => call('repo.rename', { orgName, repoName, ...options }),
    setVisibility: (orgName, repoName, options) => call('repo.setVisibility', { orgName, repoName, ...options }),
    archive: (orgName, repoName) => call('repo.archive', { orgName, repoName }),
    unarchive: (orgName, repoName) => call('repo.unarchive', { orgName, repoName }),
    delete: (orgName, repoName) => call('repo.delete', { orgName, repoName }),
    restore: (orgName, repoName) => call('repo.restore', { orgName, repoName }),
    transfer: (orgName, repoName, options) => call('repo.transfer', { orgName, repoName, ...options }),
    configure: (orgName, repoName, options) => call('repo.configure', { orgName, repoName, ...options }),
    describe: (orgName, repoName, options = {}) => call('repo.describe', { orgName, repoName, ...options }),
    stats: (orgName, repoName, options = {}) => call('repo.stats', { orgName, repoName, ...options }),
    getContent: (orgName, repoName, name, options = {}) =>
      call('repo.getContent', { orgName, repoName, name, ...options }),
    setContent: (orgName, repoName, name, content, options = {}) =>
      call('repo.setContent', { orgName, repoName, name, content, ...options }),
    listRoles: (orgName, repoName, options = {}) => call('repo.listRoles', { orgName, repoName, ...options }),
    setRole: (orgName, repoName, person, role) =>
      call('repo.setRole', { orgName, repoName, ...personOf(person), role }),
  };
}
