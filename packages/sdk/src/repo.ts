// Repositories: as calls, as copies in streams and files, and as streams of what is written and of what changes.

import type {
  ContentName,
  RepositoryContent,
  RepositoryDescription,
  RepositoryStats,
} from '@cairn/protocol/description';
import { fail } from '@cairn/protocol/errors';
import type { Checkpoint } from '@cairn/protocol/export';
import type {
  Repository,
  RepositoryDeletion,
  RepositoryRoleHolder,
  RepositoryRoleResult,
} from '@cairn/protocol/organization';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { RepositoryRole } from '@cairn/protocol/scopes';
import { type ExportOptions, type ExportPart, ExportStream, exportParts } from './export.ts';
import { type DownloadOptions, type ExportedFile, type ExportToFile, exportToFile } from './export-file.ts';
import type { Http } from './http.ts';
import { abortImport, type ExportBytes, type ImportedRepository, type ImportOptions, importExport } from './import.ts';
import type { List } from './list.ts';
import { type LiveOptions, LiveStream, type OnChange } from './live-stream.ts';
import type { PersonName } from './org.ts';
import type { RepoHandle } from './repo-handle.ts';
import type { StreamSource } from './stream/backlog.ts';
import { submitStream } from './stream/submission.ts';
import type { StreamedLines, StreamOptions } from './stream.ts';
import type { RepositoryAddress } from './surfaces.ts';
import { importSurface, liveSurface, repoCalls, streamSurface } from './surfaces.ts';
import type { Call, CallOptions } from './transport.ts';

/** What a list of checkpoints can be told. */
export type ListCheckpoints = Omit<ProcedureInput<'repo.checkpoints'>, RepositoryAddress> & CallOptions;
/** Of what a checkpoint is made. */
export type CreateCheckpoint = Omit<ProcedureInput<'repo.createCheckpoint'>, RepositoryAddress | 'name'> & CallOptions;

/**
 * Copies of a repository: streams, files, and checkpoints, which are exports that the server keeps.
 *
 * @example
 * for await (const { kind, name, data } of client.repo.export('acme', 'world')) console.log(kind, name, data);
 * for await (const { lines } of client.repo.exportLines('acme', 'world')) console.log(lines.length);
 * const { atRepoSeq } = await client.repo.exportToFile('acme', 'world', 'world.ndjson');
 * await client.repo.exportToFile('acme', 'world', 'later.ndjson', { sinceRepoSeq: atRepoSeq });
 * await client.repo.abortImport('acme', 'copy');
 * await client.repo.import('acme', 'copy', createReadStream('world.ndjson'));
 * await client.repo.createCheckpoint('acme', 'world', 'monday');
 * for await (const { name } of client.repo.checkpoints('acme', 'world')) console.log(name);
 * await client.repo.checkpointToFile('acme', 'world', 'monday', 'monday.ndjson');
 * await client.repo.deleteCheckpoint('acme', 'world', 'monday');
 */
export interface RepoCopySurface {
  /** The rows as the repository is now, or was at a sequence. After a cut it goes on by itself. */
  export(orgName: string, repoName: string, options?: ExportOptions): ExportStream;
  /** The same as the lines that the server wrote, with header and end mark: what comes is what an uncut export is. */
  exportLines(orgName: string, repoName: string, options?: ExportOptions): AsyncGenerator<ExportPart, void>;
  /** Into a file (not in browsers), which is there only once it is whole and its digest is right. Replaces what is there. */
  exportToFile(orgName: string, repoName: string, path: string, options?: ExportToFile): Promise<ExportedFile>;
  /**
   * Restores an export into an empty repository, or applies an increment to one that was restored. Nothing shows before
   * all of it is there. Called again after a failure, it goes on where the server is.
   */
  import(orgName: string, repoName: string, source: ExportBytes, options?: ImportOptions): Promise<ImportedRepository>;
  /** Gives up an import that is under way, and clears away what was sent. */
  abortImport(orgName: string, repoName: string, options?: CallOptions): Promise<void>;
  /** The checkpoints, by name. */
  checkpoints(orgName: string, repoName: string, options?: ListCheckpoints): List<Checkpoint>;
  /** Has an export built and kept under a name. */
  createCheckpoint(orgName: string, repoName: string, name: string, options?: CreateCheckpoint): Promise<Checkpoint>;
  /** Lets go of one. */
  deleteCheckpoint(orgName: string, repoName: string, name: string, options?: CallOptions): Promise<Checkpoint>;
  /** As `exportToFile`. */
  checkpointToFile(
    orgName: string,
    repoName: string,
    name: string,
    path: string,
    options?: DownloadOptions,
  ): Promise<ExportedFile>;
}

async function checkpointNamed(name: string, checkpoints: AsyncIterable<Checkpoint>): Promise<Checkpoint> {
  for await (const checkpoint of checkpoints) if (checkpoint.name === name) return checkpoint;
  throw fail('NOT_FOUND', { message: `There is no checkpoint ${name} in this repository. List those that there are.` });
}

/**
 * Streams: operations in, one after the other and without end if need be; and what changes, out.
 *
 * @example
 * const { applied, error } = await client.repo.stream('acme', 'world', readings(), {
 *   onRefused: ({ line, message, text }) => console.error(line, message, text),
 * });
 * await client.repo.stream('acme', 'world', createReadStream('readings.ndjson'), { streamId: 'readings' });
 * const live = client.repo.live('acme', 'world', ({ affectedRecords }) => console.log(affectedRecords));
 * live.close();
 */
export interface RepoStreamSurface {
  /**
   * Submits operations: objects, lines of NDJSON, or its bytes. After a cut it goes on by itself; each line is applied
   * once. Called again with the same `streamId` and source, it goes on after what is durable. The repository must take
   * streaming submissions: `repo.configure`.
   */
  stream(orgName: string, repoName: string, source: StreamSource, options?: StreamOptions): Promise<StreamedLines>;
  /**
   * Listens to what changes: calls `onChange` for each change, or can be gone through in a loop where none is given. After a
   * cut it goes on by itself, and what was missed is told in one change.
   */
  live(orgName: string, repoName: string, onChange?: OnChange, options?: LiveOptions): LiveStream;
}

/** Which repositories are listed. */
export type ListRepositories = NonNullable<ProcedureInput<'repo.list'>> & CallOptions;
/** What a repository is created with. */
export type CreateRepository = Omit<ProcedureInput<'repo.create'>, 'orgName' | 'name'> & CallOptions;
/** What is said about a repository. */
export type UpdateRepository = Omit<ProcedureInput<'repo.update'>, RepositoryAddress> & CallOptions;
/** The new name of a repository. */
export type RenameRepository = Omit<ProcedureInput<'repo.rename'>, RepositoryAddress> & CallOptions;
/** Whether everybody may read a repository. */
export type SetRepositoryVisibility = Omit<ProcedureInput<'repo.setVisibility'>, RepositoryAddress> & CallOptions;
/** Where a repository goes. */
export type TransferRepository = Omit<ProcedureInput<'repo.transfer'>, RepositoryAddress> & CallOptions;
/** What a list of roles can be told. */
export type ListRoles = Omit<ProcedureInput<'repo.listRoles'>, RepositoryAddress> & CallOptions;
/** Which features are turned on or off. */
export type ConfigureRepository = Omit<ProcedureInput<'repo.configure'>, RepositoryAddress> & CallOptions;
/** At which sequence a repository is described. */
export type ReadRepository = Omit<ProcedureInput<'repo.describe'>, RepositoryAddress> & CallOptions;
/** At which sequence a text is read. */
export type GetContent = Omit<ProcedureInput<'repo.getContent'>, RepositoryAddress | 'name'> & CallOptions;
/** What writing a text can be told. */
export type SetContent = Omit<ProcedureInput<'repo.setContent'>, RepositoryAddress | 'name' | 'content'> & CallOptions;

/**
 * Repositories. Called with a name, it gives a handle of that repository; nothing is sent for that.
 *
 * @example
 * await client.repo.create('acme', 'world', { visibility: 'public' });
 * await client.repo.configure('acme', 'world', { features: { streamSubmissions: false } });
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

/** The calls that make as many requests as it takes, and what makes a handle. */
export type ManyRequests = Omit<RepoCopySurface, 'checkpoints' | 'createCheckpoint' | 'deleteCheckpoint'> &
  RepoStreamSurface;

export function repoSurface(call: Call, http: Http, handle: (name: string) => RepoHandle): RepoSurface {
  const calls = repoCalls(call);
  const surface = importSurface(call);
  const target = (orgName: string, repoName: string) => ({ surface, repo: { orgName, repoName }, retry: http.retry });
  const parts = (orgName: string, repoName: string, options: ExportOptions) =>
    exportParts({ http, repo: { orgName, repoName }, options });
  const toFile: RepoCopySurface['exportToFile'] = (orgName, repoName, path, options = {}) =>
    exportToFile({ http, repo: { orgName, repoName }, path }, options);
  const many: ManyRequests = {
    export: (orgName, repoName, options = {}) => new ExportStream(parts(orgName, repoName, options)),
    exportLines: (orgName, repoName, options = {}) => parts(orgName, repoName, options),
    exportToFile: toFile,
    import: (orgName, repoName, source, options = {}) => importExport(target(orgName, repoName), source, options),
    abortImport: (orgName, repoName, options = {}) => abortImport(target(orgName, repoName), options),
    checkpointToFile: async (orgName, repoName, name, path, options = {}) => {
      const listed = calls.checkpoints(orgName, repoName, { limit: 500, signal: options.signal });
      const { exportToken } = await checkpointNamed(name, listed);
      return await toFile(orgName, repoName, path, { ...options, exportToken });
    },
    stream: (orgName, repoName, source, options = {}) =>
      submitStream({ surface: streamSurface(call), http, repo: { orgName, repoName } }, source, options),
    live: (orgName, repoName, onChange, options = {}) => {
      const stream = new LiveStream({ surface: liveSurface(call), http, repo: { orgName, repoName }, options });
      if (onChange !== undefined) stream.follow(onChange);
      return stream;
    },
  };
  return Object.assign(handle, { ...calls, ...many });
}
