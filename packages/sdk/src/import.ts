import type { ExportEnd, ExportHeader } from '@cairn/protocol/export';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Call, CallOptions } from './transport.ts';

/** Rows of an import, and how many were sent before them. */
export type AppendImport = Pick<ProcedureInput<'import.append'>, 'offset' | 'lines'> & CallOptions;
/** Which import to give up, where it is not the one under way. */
export type AbortImport = Pick<ProcedureInput<'import.abort'>, 'importId'> & CallOptions;

/**
 * Imports, call by call. `client.repo.import` makes all of them, and goes on after a cut.
 *
 * @example
 * const { importId, offset } = await client.import.begin('acme', 'copy', header);
 * await client.import.append('acme', 'copy', importId, { offset, lines });
 * const { state } = await client.import.finish('acme', 'copy', importId, end);
 * if (state !== 'complete') await client.import.abort('acme', 'copy', { importId });
 */
export interface ImportSurface {
  /** Begins one into an empty repository, or an increment into one that was imported; or finds the one under way. */
  begin(
    orgName: string,
    repoName: string,
    header: ExportHeader,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'import.begin'>>;
  /** Sends rows, in order; answers how many the server has. */
  append(
    orgName: string,
    repoName: string,
    importId: string,
    options: AppendImport,
  ): Promise<ProcedureOutput<'import.append'>>;
  /** Checks the whole in steps, and shows it: to be called until its state is `complete`. */
  finish(
    orgName: string,
    repoName: string,
    importId: string,
    end: ExportEnd,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'import.finish'>>;
  /** Clears away what was sent, in steps: to be called until it is done. */
  abort(orgName: string, repoName: string, options?: AbortImport): Promise<ProcedureOutput<'import.abort'>>;
}

export function importSurface(call: Call): ImportSurface {
  return {
    begin: (orgName, repoName, header, options) => call('import.begin', { orgName, repoName, header, ...options }),
    append: (orgName, repoName, importId, options) =>
      call('import.append', { orgName, repoName, importId, ...options }),
    finish: (orgName, repoName, importId, end, options) =>
      call('import.finish', { orgName, repoName, importId, end, ...options }),
    abort: (orgName, repoName, options = {}) => call('import.abort', { orgName, repoName, ...options }),
  };
}
