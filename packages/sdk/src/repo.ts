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

/** Options of `repo.checkpoints`. */
export type ListCheckpoints = Omit<ProcedureInput<'repo.checkpoints'>, RepositoryAddress> & CallOptions;
/** Options of `repo.createCheckpoint`, such as the sequence to export. */
export type CreateCheckpoint = Omit<ProcedureInput<'repo.createCheckpoint'>, RepositoryAddress | 'name'> & CallOptions;

/**
 * Copies of a repository: streams, files, and checkpoints, which are exports kept on the server.
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
  /** Rows of the repository as it is now, or as of a sequence. Resumes by itself after an interruption. */
  export(orgName: string, repoName: string, options?: ExportOptions): ExportStream;
  /**
   * The same export as lines from the server, with header and end mark. The bytes equal those of an uninterrupted
   * export.
   */
  exportLines(orgName: string, repoName: string, options?: ExportOptions): AsyncGenerator<ExportPart, void>;
  /**
   * Exports into a file (not in browsers), and replaces an existing one. The file appears only once it is complete and
   * its digest is verified.
   */
  exportToFile(orgName: string, repoName: string, path: string, options?: ExportToFile): Promise<ExportedFile>;
  /**
   * Restores an export into an empty repository, or applies an increment to a restored one. Nothing is visible before
   * all of it is there. After a failure, call it again to resume.
   */
  import(orgName: string, repoName: string, source: ExportBytes, options?: ImportOptions): Promise<ImportedRepository>;
  /** Aborts a running import and deletes the sent rows. */
  abortImport(orgName: string, repoName: string, options?: CallOptions): Promise<void>;
  /** Checkpoints, by name. */
  checkpoints(orgName: string, repoName: string, options?: ListCheckpoints): List<Checkpoint>;
  /** Builds an export and keeps it under a name. */
  createCheckpoint(orgName: string, repoName: string, name: string, options?: CreateCheckpoint): Promise<Checkpoint>;
  /** Deletes a checkpoint. */
  deleteCheckpoint(orgName: string, repoName: string, name: string, options?: CallOptions): Promise<Checkpoint>;
  /** Downloads a checkpoint into a file, like `exportToFile`. */
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
  throw fail('NOT_FOUND', { message: `There is no checkpoint ${name} here. List the checkpoints to see their names.` });
}

/**
 * Streams of operations into a repository, and of changes out of it. Both can be endless.
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
   * Submits operations: objects, lines of NDJSON, or its bytes. It resumes by itself after an interruption, and applies
   * each line once. Called again with the same `streamId` and source, it resumes after the durable lines. The
   * repository must accept streaming submissions: see `repo.configure`.
   */
  stream(orgName: string, repoName: string, source: StreamSource, options?: StreamOptions): Promise<StreamedLines>;
  /**
   * Listens to changes: calls `onChange` for each one. Without `onChange`, iterate over the result. It reconnects by
   * itself, and reports missed changes as one change.
   */
  live(orgName: string, repoName: string, onChange?: OnChange, options?: LiveOptions): LiveStream;
}

/** Options of `repo.list`. */
export type ListRepositories = NonNullable<ProcedureInput<'repo.list'>> & CallOptions;
/** Options of `repo.create`. */
export type CreateRepository = Omit<ProcedureInput<'repo.create'>, 'orgName' | 'name'> & CallOptions;
/** Options of `repo.update`. */
export type UpdateRepository = Omit<ProcedureInput<'repo.update'>, RepositoryAddress> & CallOptions;
/** Options of `repo.rename`: the new name. */
export type RenameRepository = Omit<ProcedureInput<'repo.rename'>, RepositoryAddress> & CallOptions;
/** Options of `repo.setVisibility`: public or private. */
export type SetRepositoryVisibility = Omit<ProcedureInput<'repo.setVisibility'>, RepositoryAddress> & CallOptions;
/** Options of `repo.transfer`: the new organization. */
export type TransferRepository = Omit<ProcedureInput<'repo.transfer'>, RepositoryAddress> & CallOptions;
/** Options of `repo.listRoles`. */
export type ListRoles = Omit<ProcedureInput<'repo.listRoles'>, RepositoryAddress> & CallOptions;
/** Options of `repo.configure`: the features to turn on or off. */
export type ConfigureRepository = Omit<ProcedureInput<'repo.configure'>, RepositoryAddress> & CallOptions;
/** Options of `repo.describe` and `repo.stats`: the sequence to read at. */
export type ReadRepository = Omit<ProcedureInput<'repo.describe'>, RepositoryAddress> & CallOptions;
/** Options of `repo.getContent`: the sequence to read at. */
export type GetContent = Omit<ProcedureInput<'repo.getContent'>, RepositoryAddress | 'name'> & CallOptions;
/** Options of `repo.setContent`. */
export type SetContent = Omit<ProcedureInput<'repo.setContent'>, RepositoryAddress | 'name' | 'content'> & CallOptions;

/**
 * Repositories. Call it with a name to get a handle of that repository, which sends nothing.
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
  /** Returns a handle of the repository `org/name`, for calls that do not repeat the name. */
  (name: string): RepoHandle;
  /** One repository, with the details that the caller may see. */
  get(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
  /** Repositories that the caller may see, by organization and name. */
  list(options?: ListRepositories): List<Repository>;
  /** Creates a repository, private by default. */
  create(orgName: string, repoName: string, options?: CreateRepository): Promise<Repository>;
  /** Updates the details of a repository. Fields that are left out keep their values. */
  update(orgName: string, repoName: string, options: UpdateRepository): Promise<Repository>;
  /** Renames a repository. The old name is free at once. */
  rename(orgName: string, repoName: string, options: RenameRepository): Promise<Repository>;
  /** Makes a repository public (everybody may read it) or private (only callers with a role may). */
  setVisibility(orgName: string, repoName: string, options: SetRepositoryVisibility): Promise<Repository>;
  /** Archives a repository. It refuses writes from then on. */
  archive(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
  /** Unarchives a repository, so that it accepts writes again. */
  unarchive(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
  /** Deletes a repository. It can be restored for 30 days. */
  delete(orgName: string, repoName: string, options?: CallOptions): Promise<RepositoryDeletion>;
  /** Restores a deleted repository. */
  restore(orgName: string, repoName: string, options?: CallOptions): Promise<Repository>;
  /** Moves a repository to another organization. */
  transfer(orgName: string, repoName: string, options: TransferRepository): Promise<Repository>;
  /** Turns features on or off. Features that are left out keep their state. */
  configure(orgName: string, repoName: string, options: ConfigureRepository): Promise<Repository>;
  /** Describes the content: the shapes with their fields, and the number of records of each. */
  describe(orgName: string, repoName: string, options?: ReadRepository): Promise<RepositoryDescription>;
  /** Statistics of the content, by kind and by shape. */
  stats(orgName: string, repoName: string, options?: ReadRepository): Promise<RepositoryStats>;
  /** The `readme`, or the text for `agents`. Until its first write, it is empty and at version 0. */
  getContent(orgName: string, repoName: string, name: ContentName, options?: GetContent): Promise<RepositoryContent>;
  /** Writes one of these texts, as a commit. */
  setContent(
    orgName: string,
    repoName: string,
    name: ContentName,
    content: string,
    options?: SetContent,
  ): Promise<RepositoryContent>;
  /** Roles granted on this repository, by handle. Pending invitations follow, by email. */
  listRoles(orgName: string, repoName: string, options?: ListRoles): List<RepositoryRoleHolder>;
  /**
   * Sets a role that replaces the one from the organization; null removes it. An email address without an account gets
   * an invitation.
   */
  setRole(
    orgName: string,
    repoName: string,
    person: PersonName,
    role: RepositoryRole | null,
    options?: CallOptions,
  ): Promise<RepositoryRoleResult>;
}

/** The calls that make several requests. They are written by hand below. */
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
