// Exports (spec 4.2) have three modes: a stream, a requested job, and its redemption. Components cannot export.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { invalidField } from '@cairn/model/operation';
import { parseDurableId } from '@cairn/model/wref';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ExportMinted, ExportStatus } from '@cairn/protocol/export';
import { EXPORT_FORMAT_VERSION } from '@cairn/protocol/version';
import { authorizeWhole, requireCredential } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { findKind } from '../read/record.sql.ts';
import { type RepositoryAddress, repositoryNotFound } from '../repository/repository.sql.ts';
import type { BlobLink, OpenBlob } from './blob-store.ts';
import { mintExport, redeemExport } from './export-job.ts';
import type { ExportPlace } from './export-page.sql.ts';
import { ALL_VERSIONS, exportLines } from './export-stream.ts';

type Lines = AsyncGenerator<Uint8Array<ArrayBuffer>>;

type OpenedExport =
  | { readonly kind: 'stream'; readonly lines: Lines }
  | { readonly kind: 'minted'; readonly minted: ExportMinted }
  | { readonly kind: 'redeemed'; readonly status: ExportStatus };

interface ExportRequest {
  readonly address: RepositoryAddress;
  readonly parameters: () => ExportParameters;
  /** The caller's current authority: a token or role may end during a long export. */
  readonly refresh: () => Promise<Context>;
}

export async function openExport(context: Context, request: ExportRequest): Promise<OpenedExport> {
  const grant = await authorizeExport(context, request.address);
  const asked = await readExport(context, grant, request.parameters());
  if (asked.kind === 'redeem') return { kind: 'redeemed', status: await redeemExport(context, grant, asked.token) };
  if (asked.kind === 'mint') return { kind: 'minted', minted: await mintExport(context, grant, asked) };
  return { kind: 'stream', lines: streamed(context, grant, request, asked) };
}

/** A caller who loses their authority gets no further page and no end mark. */
async function* streamed(
  { store }: Context,
  grant: Grant,
  { address, refresh }: ExportRequest,
  asked: Extract<AskedExport, { kind: 'stream' }>,
): Lines {
  const { orgName, name } = grant.repository;
  for await (const lines of exportLines(store, { grant, repo: `${orgName}/${name}`, ...asked })) {
    const now = await authorizeExport(await refresh(), address);
    // Another repository may have taken the name.
    if (now.repoId !== grant.repoId) throw repositoryNotFound();
    yield lines;
  }
}

interface ExportParameters {
  readonly prefer?: string | undefined;
  readonly token?: string | undefined;
  readonly mode?: string | undefined;
  readonly sinceRepoSeq?: number | undefined;
  readonly atRepoSeq?: number | undefined;
  readonly afterDurableId?: string | undefined;
  readonly afterVersion?: number | undefined;
  readonly formatVersion?: number | undefined;
}

export interface ExportPin {
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
}

type AskedExport =
  | { readonly kind: 'redeem'; readonly token: string }
  | ({ readonly kind: 'mint' } & ExportPin)
  | ({ readonly kind: 'stream'; readonly after: ExportPlace | undefined } & ExportPin);

/** All modes check in the same order: access, parameters, mode, format, sequences, and finally the token. */
async function readExport(context: Context, grant: Grant, given: ExportParameters): Promise<AskedExport> {
  refuseConflicts(given);
  const after = await findExportPlace(context, grant, given);
  if (given.mode === 'ops') {
    throw fail('export-mode-not-enabled', { message: 'This server exports only heads. Leave out mode.' });
  }
  if (given.token !== undefined) return { kind: 'redeem', token: given.token };
  if (after !== undefined) refuseOtherFormat(given);
  const pin = pinOf(grant, given);
  return given.prefer === 'async' ? { kind: 'mint', ...pin } : { kind: 'stream', after, ...pin };
}

function conflict(message: string): CairnError {
  return fail('export-parameters-conflict', { message });
}

const KNOWN = { prefer: ['async'], mode: ['heads', 'ops'] } as const;

function refuseConflicts(given: ExportParameters): void {
  for (const [name, values] of Object.entries(KNOWN)) {
    const value = given[name as keyof typeof KNOWN];
    if (value === undefined || (values as readonly string[]).includes(value)) continue;
    throw conflict(`${name} must be ${values[0]} or left out.`);
  }
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.token !== undefined && names.length > 1) {
    const others = names.filter((name) => name !== 'token').join(', ');
    throw conflict(`token redeems a job as it was minted. Leave out ${others}.`);
  }
  if (given.afterDurableId === undefined) {
    if (given.afterVersion !== undefined)
      throw conflict('afterVersion needs afterDurableId. Add it, or leave out afterVersion.');
    return;
  }
  if (given.prefer !== undefined)
    throw conflict('afterDurableId resumes a stream, not a job. Leave out prefer or afterDurableId.');
  for (const needed of ['atRepoSeq', 'formatVersion'] as const) {
    if (given[needed] !== undefined) continue;
    throw conflict(`afterDurableId resumes a stream and needs the ${needed} from its header. Add it.`);
  }
}

async function findExportPlace(
  { store }: Context,
  { repoId }: Grant,
  { afterDurableId, afterVersion }: ExportParameters,
): Promise<ExportPlace | undefined> {
  if (afterDurableId === undefined) return undefined;
  const identity = parseDurableId(afterDurableId);
  if (identity?.repoId !== repoId) {
    throw invalidField(
      'afterDurableId',
      'afterDurableId must be the durableId of the last complete row that you received from this repository.',
    );
  }
  const { recordId } = identity;
  if (afterVersion === undefined) return { recordId, version: ALL_VERSIONS };
  const kind = await findKind(store.database, { repoId, recordId });
  if (kind === 'shape' || kind === undefined) return { recordId, version: afterVersion };
  throw conflict('afterVersion is only for rows of shapes. Leave it out.');
}

function refuseOtherFormat({ formatVersion }: ExportParameters): void {
  if (formatVersion === EXPORT_FORMAT_VERSION) return;
  throw fail('export-format-mismatch', {
    message: `The export format is now ${EXPORT_FORMAT_VERSION}, not ${formatVersion}. Restart the export.`,
  });
}

export function pinOf({ repository }: Grant, given: Pick<ExportParameters, 'sinceRepoSeq' | 'atRepoSeq'>): ExportPin {
  const { repoSeq } = repository;
  const { sinceRepoSeq = 0, atRepoSeq = repoSeq } = given;
  if (atRepoSeq > repoSeq)
    throw unavailable(
      `atRepoSeq is ${atRepoSeq}, but the repository is at sequence ${repoSeq}. Use that sequence or an earlier one.`,
    );
  if (sinceRepoSeq > atRepoSeq) {
    throw unavailable(
      `sinceRepoSeq is ${sinceRepoSeq}, which is after the sequence of the export, ${atRepoSeq}. Use an earlier one.`,
    );
  }
  const { importedRepoSeq = 0 } = repository;
  if (atRepoSeq < importedRepoSeq || (sinceRepoSeq > 0 && sinceRepoSeq < importedRepoSeq)) {
    throw unavailable(
      `This repository is a copy that was imported at sequence ${importedRepoSeq}. Use sinceRepoSeq=0 or at least ${importedRepoSeq}, and atRepoSeq of at least ${importedRepoSeq}.`,
    );
  }
  return { sinceRepoSeq, atRepoSeq };
}

function unavailable(message: string): CairnError {
  return fail('export-seq-unavailable', { message });
}

export async function authorizeExport(
  context: Context,
  address: RepositoryAddress,
  scope: 'repo:checkpoint-read' | 'repo:checkpoint-generate' = 'repo:checkpoint-read',
): Promise<Grant> {
  const { principal } = context;
  requireCredential(principal, scope);
  // Before any lookup, so that the error is the same for a repository that does not exist.
  if (principal.kind === 'component') {
    throw fail('export-component-token', {
      message: 'Export is not available to component tokens. Use a token of an account.',
    });
  }
  const { orgName, repoName } = address;
  const grant = await authorizeWhole(context, { orgName, repoName }, scope, narrowed);
  // An export of an empty repository could be mistaken for a backup.
  if (grant.repository.importing) {
    throw fail('CONFLICT', {
      message: 'An import into this repository is in progress. Export it when the import is complete.',
      details: { reason: 'importing' },
    });
  }
  return grant;
}

function narrowed(): CairnError {
  return fail('export-scope-narrowed', {
    message:
      'This token can see only part of the repository, but an export contains all of it. Use a token without `refs` or `shapes`.',
  });
}

const [REPO_BYTES, JOB_BYTES, CODE_BYTES] = [8, 16, 16];
const NAME_BYTES = REPO_BYTES + JOB_BYTES;

/** Nothing secret is stored, and an expired token can be told from an invented one. */
export function encodeExportToken(key: KeyObject, { repoId, jobId }: { repoId: number; jobId: string }): string {
  const name = Buffer.alloc(NAME_BYTES);
  name.writeBigUInt64BE(BigInt(repoId));
  name.write(jobId.replaceAll('-', ''), REPO_BYTES, 'hex');
  return Buffer.concat([name, exportTokenMac(key, name)]).toString('base64url');
}

export function decodeExportToken(key: KeyObject, token: string): { repoId: number; jobId: string } | undefined {
  const bytes = Buffer.from(token, 'base64url');
  // Decoding skips invalid characters, so the token must match its re-encoded form.
  if (bytes.length !== NAME_BYTES + CODE_BYTES || bytes.toString('base64url') !== token) return undefined;
  const [name, code] = [bytes.subarray(0, NAME_BYTES), bytes.subarray(NAME_BYTES)];
  if (!timingSafeEqual(code, exportTokenMac(key, name))) return undefined;
  const jobId = name.toString('hex', REPO_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { repoId: Number(name.readBigUInt64BE()), jobId };
}

function exportTokenMac(key: KeyObject, name: Uint8Array): Buffer {
  return createHmac('sha256', key).update(name).digest().subarray(0, CODE_BYTES);
}

export interface DownloadRequest extends BlobLink {
  readonly signature: string;
}

/** The link is the whole credential: its signature covers the file, its digest and its expiry. */
export async function openDownload({ blobs }: Context, { signature, ...link }: DownloadRequest): Promise<OpenBlob> {
  const { downloads } = blobs;
  if (downloads === undefined || !downloads.check(link, signature) || link.until <= Date.now()) throw linkRefused();
  const opened = await downloads.open(link.key);
  if (opened !== undefined) return opened;
  throw fail('NOT_FOUND', {
    message:
      'This server does not have the file. Redeem the token again. If the server has several nodes, they must share CAIRN_BLOBS.',
  });
}

function linkRefused(): CairnError {
  return fail('FORBIDDEN', {
    message: 'The link has expired or was changed. Redeem the export token again to get a new link.',
  });
}
