// What an export request asks for (spec 4.2). The order of refusals is the same in all three modes: access, parameters,
// mode, format, sequences, and last the token.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { EXPORT_FORMAT_VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { parseDurableId } from '../model/durable-id.ts';
import { findKind } from '../read/record.sql.ts';
import type { ExportPlace } from './export-page.sql.ts';
import { ALL_VERSIONS } from './export-stream.ts';

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
