// Who may export: whoever reads all of a repository and has the scope for it, but no component (spec 4.2, rules 2 and 3).

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { authorizeWhole } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { requireCredential } from '../access/requirement.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import type { BlobLink, OpenBlob } from './blob-store.ts';

export type ExportScope = 'repo:checkpoint-read' | 'repo:checkpoint-generate';

export async function authorizeExport(
  context: Context,
  address: RepositoryAddress,
  scope: ExportScope = 'repo:checkpoint-read',
): Promise<Grant> {
  const { principal } = context;
  requireCredential(principal, scope);
  // Before any look-up, also for a repository that does not exist.
  if (principal.kind === 'component') {
    throw fail('export-component-token', {
      message: 'Export is not available to component tokens. Let an account drive the export.',
    });
  }
  const { orgName, repoName } = address;
  const grant = await authorizeWhole(context, { orgName, repoName }, { scope, narrowed });
  // An export of nothing would be taken for a backup.
  if (grant.repository.importing) {
    throw fail('CONFLICT', {
      message: 'An import into this repository is under way. Export it when that is complete.',
      details: { reason: 'importing' },
    });
  }
  return grant;
}

function narrowed(): CairnError {
  return fail('export-scope-narrowed', {
    message: 'An export holds everything, and the repo:read of this token is narrowed to some. Use one that is not.',
  });
}

// Export tokens. A token names a job of a repository and carries a code that only this server can make, so that nothing
// secret is stored, and a genuine token of a job that is gone can be told from one that never was.

export interface JobName {
  readonly repoId: number;
  /** A UUID. */
  readonly jobId: string;
}

const [REPO_BYTES, JOB_BYTES, CODE_BYTES] = [8, 16, 16];
const NAME_BYTES = REPO_BYTES + JOB_BYTES;

export function encodeExportToken(key: KeyObject, { repoId, jobId }: JobName): string {
  const name = Buffer.alloc(NAME_BYTES);
  name.writeBigUInt64BE(BigInt(repoId));
  name.write(jobId.replaceAll('-', ''), REPO_BYTES, 'hex');
  return Buffer.concat([name, codeOf(key, name)]).toString('base64url');
}

/** `undefined` for what this server did not make. */
export function decodeExportToken(key: KeyObject, token: string): JobName | undefined {
  const bytes = Buffer.from(token, 'base64url');
  // Decoding skips characters that are none of base64url; what it skipped was not from us.
  if (bytes.length !== NAME_BYTES + CODE_BYTES || bytes.toString('base64url') !== token) return undefined;
  const [name, code] = [bytes.subarray(0, NAME_BYTES), bytes.subarray(NAME_BYTES)];
  if (!timingSafeEqual(code, codeOf(key, name))) return undefined;
  const jobId = name.toString('hex', REPO_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { repoId: Number(name.readBigUInt64BE()), jobId };
}

function codeOf(key: KeyObject, name: Uint8Array): Buffer {
  return createHmac('sha256', key).update(name).digest().subarray(0, CODE_BYTES);
}

// Downloads by a signed link, where this server keeps the files itself. The link is the whole credential: it names the
// file, its digest and its end, and none of them can be changed.

export type { OpenBlob } from './blob-store.ts';

export interface DownloadRequest extends BlobLink {
  readonly signature: string;
}

export async function openDownload({ blobs }: Context, { signature, ...link }: DownloadRequest): Promise<OpenBlob> {
  const { downloads } = blobs;
  if (downloads === undefined || !downloads.check(link, signature) || link.until <= Date.now()) throw linkRefused();
  const opened = await downloads.open(link.key);
  if (opened !== undefined) return opened;
  throw fail('NOT_FOUND', {
    message:
      'This server does not have the file. Redeem the token again; where there are several nodes, they must share CAIRN_BLOBS.',
  });
}

/** One answer for all of it: what was changed, and whether anything was, is nobody's business. */
function linkRefused(): CairnError {
  return fail('FORBIDDEN', {
    message: 'The link has expired, or is not as it was given. Redeem the export token again for a fresh one.',
  });
}
