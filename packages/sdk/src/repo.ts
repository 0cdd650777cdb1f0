import type {
  ContentName,
  RepositoryContent,
  RepositoryDescription,
  RepositoryStats,
} from '@cairn/protocol/description';
import type { RepositoryRoleHolder, RepositoryRoleResult } from '@cairn/protocol/member';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { Repository, RepositoryDeletion } from '@cairn/protocol/repository';
import type { RepositoryRole } from '@cairn/protocol/scopes';
import type { Http } from './http.ts';
import { type List, listOf } from './list.ts';
import { type PersonName, personOf } from './person.ts';
import { type RepoCopySurface, repoCopySurface } from './repo-copy.ts';
import type { RepoHandle } from './repo-handle.ts';
import { type RepoStreamSurface, repoStreamSurface } from './repo-stream.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName';

/** Which repositories are listed. */
export type ListRepositories = NonNullable<ProcedureInput<'repo.list'>> & CallOptions;
/** What a repository is created with. */
export type CreateRepository = Omit<ProcedureInput<'repo.create'>, 'orgName' | 'name'> & CallOptions;
/** What is said about a repository. */
export type UpdateRepository = Omit<ProcedureInput<'repo.update'>, Address> & CallOptions;
/** The new name of a repository. */
export type RenameRepository = Omit<ProcedureInput<'repo.rename'>, Address> & CallOptions;
/** Whether everybody may read a repository. */
export type SetRepositoryVisibility = Omit<ProcedureInput<'repo.setVisibility'>, Address> & CallOptions;
/** Where a repository goes. */
export type TransferRepository = Omit<ProcedureInput<'repo.transfer'>, Address> & CallOptions;
/** What a list of roles can be told. */
export type ListRoles = Omit<ProcedureInput<'repo.listRoles'>, Address> & CallOptions;
/** Which features are turned on or off. */
export type ConfigureRepository = Omit<ProcedureInput<'repo.configure'>, Address> & CallOptions;
/** At which sequence a repository is described. */
export type ReadRepository = Omit<ProcedureInput<'repo.describe'>, Address> & CallOptions;
/** At which sequence a text is read. */
export type GetContent = Omit<ProcedureInput<'repo.getContent'>, Address | 'name'> & CallOptions;
/** What writing a text can be told. */
export type SetContent = Omit<ProcedureInput<'repo.setContent'>, Address | 'name' | 'content'> & CallOptions;

/**
 * Repositories. Called with a name, it gives a handle of that repository; nothing is sent for that.
 *
 * @example
 * await client.repo.create('acme', 'world', { visibility: 'public' });
 * await client.repo.configure('acme', 'world', { features: { streamSubmissions: true } });
 * await client.repo.update('acme', 'world', { description: 'Caves' });
 * await client.repo.setVisibility('acme', 'world', { visibility: 'private' });
 * await client.repo.setContent('acme', 'world', 'readme', '# A world of caves');
 * const { content } = await client.repo.getContent('acme', 'world', 'readme');
 * const { shapes } = await client.repo.describe('acme', 'world');
 * const { repoSeq } = await client.repo.stats('acme', 'world');
 * await client.repo.setRole('acme', 'world', { email: 'bob@example.com' }, 'read');
 * for await (const { role } of client.repo.listRoles('acme', 'world')) console.log(role);
 * await client.repo.archive('acme', 'world');
 * await client.repo.unarchive('acme', 'world');
 * await client.repo.delete('acme', 'world');
 * await client.repo.restore('acme', 'world');
 * const { visibility } = await client.repo.get('acme', 'world');
 * await client.repo.rename('acme', 'world', { newName: 'caves' });
 * await client.repo.transfer('acme', 'caves', { newOrgName: 'ada' });
 * for await (const { orgName, name } of client.repo.list({ orgName: 'ada' })) console.log(orgName, name);
 */
export interface RepoSurface extends RepoCopySurface, RepoStreamSurface {
  /** The repository `org/name`, for calls that need not say which it is. */
  (name: string): RepoHandle;
  /** One repository, as far as the caller may see it. */
  get(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
  /** The repositories that the caller may see, by organization and name. */
  list(options?: ListRepositories): List<Repository>;
  /** Private, unless the options say otherwise. */
  create(orgName: string, repoName: string, options?: CreateRepository): Promise<Repository>;
  /** Changes what is said about it; what is left out stays. */
  update(orgName: string, repoName: string, options: UpdateRepository): Promise<Repository>;
  /** The old name is free at once. */
  rename(orgName: string, repoName: string, options: RenameRepository): Promise<Repository>;
  /** Public: everybody may read it. Private: those alone who have a role. */
  setVisibility(orgName: string, repoName: string, options: SetRepositoryVisibility): Promise<Repository>;
  /** From then on it takes no writes. */
  archive(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
  /** Takes writes again. */
  unarchive(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
  /** For 30 days it can be restored. */
  delete(orgName: string, repoName: string, options?: CallOptions): Promise<RepositoryDeletion>;
  /** Brings back one that was deleted. */
  restore(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
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
  /** Those who have a role of their own here, by handle; after them the pending invitations, by email. */
  listRoles(orgName: string, repoName: string, options?: ListRoles): List<RepositoryRoleHolder>;
  /** In place of what the organization role gives; null takes it away. An email that nobody is known by is invited. */
  setRole(
    orgName: string,
    repoName: string,
    person: PersonName,
    role: RepositoryRole | null,
    options?: CallOptions,
  ): Promise<RepositoryRoleResult>;
}

/** The calls on repositories, and what makes a handle of one. */
export function repoSurface(call: Call, http: Http, handle: (name: string) => RepoHandle): RepoSurface {
  return Object.assign(handle, repoCalls(call, http));
}

/** All of them by name; `Omit` leaves out that the surface can be called itself. */
function repoCalls(call: Call, http: Http): Omit<RepoSurface, never> {
  return {
    ...repoCopySurface(call, http),
    ...repoStreamSurface(call, http),
    get: (orgName, repoName, options) => call('repo.get', { orgName, repoName, ...options }),
    list: (options = {}) => listOf(call, 'repo.list', options),
    create: (orgName, name, options = {}) => call('repo.create', { orgName, name, ...options }),
    update: (orgName, repoName, options) => call('repo.update', { orgName, repoName, ...options }),
    rename: (orgName, repoName, options) => call('repo.rename', { orgName, repoName, ...options }),
    setVisibility: (orgName, repoName, options) => call('repo.setVisibility', { orgName, repoName, ...options }),
    archive: (orgName, repoName, options) => call('repo.archive', { orgName, repoName, ...options }),
    unarchive: (orgName, repoName, options) => call('repo.unarchive', { orgName, repoName, ...options }),
    delete: (orgName, repoName, options) => call('repo.delete', { orgName, repoName, ...options }),
    restore: (orgName, repoName, options) => call('repo.restore', { orgName, repoName, ...options }),
    transfer: (orgName, repoName, options) => call('repo.transfer', { orgName, repoName, ...options }),
    configure: (orgName, repoName, options) => call('repo.configure', { orgName, repoName, ...options }),
    describe: (orgName, repoName, options = {}) => call('repo.describe', { orgName, repoName, ...options }),
    stats: (orgName, repoName, options = {}) => call('repo.stats', { orgName, repoName, ...options }),
    getContent: (orgName, repoName, name, options = {}) =>
      call('repo.getContent', { orgName, repoName, name, ...options }),
    setContent: (orgName, repoName, name, content, options = {}) =>
      call('repo.setContent', { orgName, repoName, name, content, ...options }),
    listRoles: (orgName, repoName, options = {}) => listOf(call, 'repo.listRoles', { orgName, repoName, ...options }),
    setRole: (orgName, repoName, person, role, options) =>
      call('repo.setRole', { orgName, repoName, ...personOf(person), role, ...options }),
  };
}
