// An export in one of its three modes (spec 4.2): a stream, a job that is minted, or one that is redeemed.

import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ExportMinted, ExportStatus } from '@cairn/protocol/export';
import { EXPORT_FORMAT_VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { parseDurableId } from '../model/durable-id.ts';
import { findKind } from '../read/record.sql.ts';
import { type RepositoryAddress, repositoryNotFound } from '../repository/repository.sql.ts';
import { authorizeExport } from './export-access.ts';
import { mintExport, redeemExport } from './export-job.ts';
import type { ExportPlace } from './export-page.sql.ts';
import { ALL_VERSIONS, exportLines } from './export-stream.ts';

type Lines = AsyncGenerator<Uint8Array<ArrayBuffer>>;

export type OpenedExport =
  | { readonly kind: 'stream'; readonly lines: Lines }
  | { readonly kind: 'minted'; readonly minted: ExportMinted }
  | { readonly kind: 'redeemed'; readonly status: ExportStatus };

export interface ExportRequest {
  readonly address: RepositoryAddress;
  /** Read only once it is known that the caller may export. */
  readonly parameters: () => ExportParameters;
  /** The caller as they are now, for what takes long: a token may end, and a role. */
  readonly refresh: () => Promise<Context>;
}

export async function openExport(context: Context, request: ExportRequest): Promise<OpenedExport> {
  const grant = await authorizeExport(context, request.address);
  const asked = await readExport(context, grant, request.parameters());
  if (asked.kind === 'redeem') return { kind: 'redeemed', status: await redeemExport(context, grant, asked.token) };
  if (asked.kind === 'mint') return { kind: 'minted', minted: await mintExport(context, grant, asked) };
  return { kind: 'stream', lines: streamed(context, grant, { ...request, asked }) };
}

interface Streamed extends ExportRequest {
  readonly asked: Extract<AskedExport, { kind: 'stream' }>;
}

/** Authority lasts no longer than it holds: who has lost it gets no further page, and no end mark. */
async function* streamed({ store }: Context, grant: Grant, { asked, address, refresh }: Streamed): Lines {
  const { orgName, name } = grant.repository;
  for await (const lines of exportLines(store, { grant, repo: `${orgName}/${name}`, ...asked })) {
    const now = await authorizeExport(await refresh(), address);
    // Another repository may have been given the name meanwhile.
    if (now.repoId !== grant.repoId) throw repositoryNotFound();
    yield lines;
  }
}

// What an export request asks for (spec 4.2). The order of refusals is the same in all three modes: access, parameters,
// mode, format, sequences, and last the token.

/** As they were sent, numbers read. */
export interface ExportParameters {
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

export type AskedExport =
  | { readonly kind: 'redeem'; readonly token: string }
  | ({ readonly kind: 'mint' } & ExportPin)
  | ({ readonly kind: 'stream'; readonly after: ExportPlace | undefined } & ExportPin);

export async function readExport(context: Context, grant: Grant, given: ExportParameters): Promise<AskedExport> {
  refuseConflicts(given);
  const after = await placeOf(context, grant, given);
  if (given.mode === 'ops') {
    throw fail('export-mode-not-enabled', { message: 'This server exports heads alone. Leave mode out.' });
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
    throw conflict(`${name} is ${values[0]}, or is left out.`);
  }
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.token !== undefined && names.length > 1) {
    const others = names.filter((name) => name !== 'token').join(', ');
    throw conflict(`token redeems a job as it was minted, and stands alone. Leave out ${others}.`);
  }
  if (given.afterDurableId === undefined) {
    if (given.afterVersion !== undefined) throw conflict('afterVersion goes with afterDurableId alone.');
    return;
  }
  if (given.prefer !== undefined) throw conflict('A job cannot be resumed: afterDurableId is for the stream alone.');
  for (const needed of ['atRepoSeq', 'formatVersion'] as const) {
    if (given[needed] !== undefined) continue;
    throw conflict(`afterDurableId resumes one stream, and needs the ${needed} of its header.`);
  }
}

/** The row after which the stream is to go on. */
async function placeOf(
  { store }: Context,
  { repoId }: Grant,
  { afterDurableId, afterVersion }: ExportParameters,
): Promise<ExportPlace | undefined> {
  if (afterDurableId === undefined) return undefined;
  const identity = parseDurableId(afterDurableId);
  if (identity?.repoId !== repoId) {
    const message = 'afterDurableId is the durableId of the last whole row that was received from this repository.';
    throw fail('VALIDATION_ERROR', { message, details: [{ path: 'afterDurableId', message }] });
  }
  const { recordId } = identity;
  if (afterVersion === undefined) return { recordId, version: ALL_VERSIONS };
  const kind = await findKind(store.database, { repoId, recordId });
  if (kind === 'shape' || kind === undefined) return { recordId, version: afterVersion };
  throw conflict('afterVersion is for rows that are versions of a shape. Leave it out for others.');
}

function refuseOtherFormat({ formatVersion }: ExportParameters): void {
  if (formatVersion === EXPORT_FORMAT_VERSION) return;
  throw fail('export-format-mismatch', {
    message: `The format of exports is ${EXPORT_FORMAT_VERSION} by now, not ${formatVersion}. Restart the export.`,
  });
}

/** Both sequences, as far as the repository has them. */
export function pinOf({ repository }: Grant, given: Pick<ExportParameters, 'sinceRepoSeq' | 'atRepoSeq'>): ExportPin {
  const { repoSeq } = repository;
  const { sinceRepoSeq = 0, atRepoSeq = repoSeq } = given;
  if (atRepoSeq > repoSeq)
    throw unavailable(
      `atRepoSeq is ${atRepoSeq}, and the repository stands at ${repoSeq}. Ask for that or an earlier one.`,
    );
  if (sinceRepoSeq > atRepoSeq) {
    throw unavailable(
      `sinceRepoSeq is ${sinceRepoSeq}, which is after ${atRepoSeq}, the sequence of the export. Ask for what came after an earlier one.`,
    );
  }
  const { importedRepoSeq = 0 } = repository;
  if (atRepoSeq < importedRepoSeq || (sinceRepoSeq > 0 && sinceRepoSeq < importedRepoSeq)) {
    throw unavailable(
      `This repository is a copy that was imported at sequence ${importedRepoSeq}. Take everything (sinceRepoSeq=0), or what came after that, at ${importedRepoSeq} or later.`,
    );
  }
  return { sinceRepoSeq, atRepoSeq };
}

function unavailable(message: string): CairnError {
  return fail('export-seq-unavailable', { message });
}
