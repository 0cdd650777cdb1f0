// Exports, imports and checkpoints of a repository, as the calls of people: each makes as many requests as it takes.

import { fail } from '@cairn/protocol/errors';
import type { Checkpoint } from '@cairn/protocol/export';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { type DownloadOptions, type ExportedFile, type ExportToFile, exportToFile } from './export-file.ts';
import { type ExportOptions, type ExportPart, exportParts } from './export-part.ts';
import type { ExportBytes } from './export-reader.ts';
import { ExportStream } from './export-stream.ts';
import type { Http } from './http.ts';
import { importSurface } from './import.ts';
import { abortImport, type ImportedRepository, type ImportOptions, importExport } from './import-rows.ts';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName';

/** What a list of checkpoints can be told. */
export type ListCheckpoints = Omit<ProcedureInput<'repo.checkpoints'>, Address> & CallOptions;
/** Of what a checkpoint is made. */
export type CreateCheckpoint = Omit<ProcedureInput<'repo.createCheckpoint'>, Address | 'name'> & CallOptions;

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

export function repoCopySurface(call: Call, http: Http): RepoCopySurface {
  const surface = importSurface(call);
  const target = (orgName: string, repoName: string) => ({ surface, repo: { orgName, repoName }, retry: http.retry });
  const parts = (orgName: string, repoName: string, options: ExportOptions) =>
    exportParts({ http, repo: { orgName, repoName }, options });
  const toFile: RepoCopySurface['exportToFile'] = (orgName, repoName, path, options = {}) =>
    exportToFile({ http, repo: { orgName, repoName }, path }, options);
  const checkpoints: RepoCopySurface['checkpoints'] = (orgName, repoName, options = {}) =>
    listOf(call, 'repo.checkpoints', { orgName, repoName, ...options });
  return {
    export: (orgName, repoName, options = {}) => new ExportStream(parts(orgName, repoName, options)),
    exportLines: (orgName, repoName, options = {}) => parts(orgName, repoName, options),
    exportToFile: toFile,
    import: (orgName, repoName, source, options = {}) => importExport(target(orgName, repoName), source, options),
    abortImport: (orgName, repoName, options = {}) => abortImport(target(orgName, repoName), options),
    checkpoints,
    createCheckpoint: (orgName, repoName, name, options = {}) =>
      call('repo.createCheckpoint', { orgName, repoName, name, ...options }),
    deleteCheckpoint: (orgName, repoName, name, options) =>
      call('repo.deleteCheckpoint', { orgName, repoName, name, ...options }),
    checkpointToFile: async (orgName, repoName, name, path, options = {}) => {
      const { exportToken } = await checkpointNamed(
        name,
        checkpoints(orgName, repoName, { limit: 500, signal: options.signal }),
      );
      return await toFile(orgName, repoName, path, { ...options, exportToken });
    },
  };
}

async function checkpointNamed(name: string, checkpoints: AsyncIterable<Checkpoint>): Promise<Checkpoint> {
  for await (const checkpoint of checkpoints) if (checkpoint.name === name) return checkpoint;
  throw fail('NOT_FOUND', { message: `There is no checkpoint ${name} in this repository. List those that there are.` });
}
