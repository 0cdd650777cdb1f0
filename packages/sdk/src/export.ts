import type { ExportMinted, ExportStatus } from '@cairn/protocol/export';
import { type MintExport, mintExport } from './export-job.ts';
import type { Http } from './http.ts';
import type { Call, CallOptions } from './transport.ts';

/**
 * Export jobs, call by call. `client.repo.exportToFile` makes all of them, and downloads.
 *
 * @example
 * const { exportToken } = await client.export.mint('acme', 'world');
 * const status = await client.export.status('acme', 'world', exportToken);
 * if (status.state === 'complete') console.log(status.url, status.contentSha256);
 */
export interface ExportSurface {
  /** Has the server build an export; equal ones share a file. */
  mint(orgName: string, repoName: string, options?: MintExport): Promise<ExportMinted>;
  /** How far it is; once it is complete, with a URL of its own to download it from. */
  status(orgName: string, repoName: string, exportToken: string, options?: CallOptions): Promise<ExportStatus>;
}

export function exportSurface(call: Call, http: Http): ExportSurface {
  return {
    mint: (orgName, repoName, options = {}) => mintExport(http, { orgName, repoName }, options),
    status: (orgName, repoName, exportToken, options) =>
      call('export.status', { orgName, repoName, exportToken, ...options }),
  };
}
