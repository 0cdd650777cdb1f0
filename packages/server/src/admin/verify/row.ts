// The rows of a repository, in batches that fit into memory, and the checks of records and versions.

import { createHash } from 'node:crypto';
import { formatReferences, type Identity, parseIdentity } from '@cairn/model/wref';
import type { StoredCommit } from '../../commit/commit-read.sql.ts';
import { checksumHead, checksumVersion, type HeadColumns } from '../../commit/integrity.rule.ts';
import type { NewVersion } from '../../commit/statement.sql.ts';
import { canonical, sha256 } from './field.ts';

export interface Moment {
  readonly seq: number;
  /** Infinity means the end of the commit. */
  readonly op: number;
}

export function isSooner(a: Moment, b: Moment): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.op < b.op);
}

export function momentOf({ from_seq, op_index }: { from_seq: number; op_index: number }): Moment {
  return { seq: from_seq, op: op_index };
}

export interface RecordRow extends HeadColumns {
  readonly crc: number;
}

export interface VersionRow extends NewVersion {
  readonly crc: number;
}

export interface NameRow {
  readonly shape_id: number;
  readonly name: string;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly record_id: number;
}

export interface RenameRow {
  readonly record_id: number;
  readonly repo_seq: number;
  readonly op_index: number;
  readonly old_name: string;
  readonly new_name: string;
}

export interface CommitRow extends StoredCommit {
  readonly entries: string;
  readonly export_rows: number | null;
}

export interface SequenceRow {
  readonly repo_seq: number;
  readonly imported_seq: number;
  readonly last_record_id: number;
  readonly commit_id: Uint8Array | null;
  readonly renamed_seq: number;
  readonly export_rows: number;
}

export interface RefRow {
  readonly target_repo_id: number;
  readonly target_id: number;
  readonly role: string;
  readonly record_id: number;
  readonly path: string;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly target_version: number;
}

export interface ShapeFieldRow {
  readonly shape_id: number;
  readonly field_id: number;
  readonly path: string;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly built_to: number | null;
}

export interface FieldIndexRow {
  readonly shape_id: number;
  readonly field_id: number;
  readonly value: Uint8Array;
  readonly record_id: number;
  readonly from_seq: number;
  readonly to_seq: number | null;
}

export interface NamedRecords {
  readonly repoId: number;
  readonly records: ReadonlyMap<number, RecordRow>;
  readonly renames: ReadonlyMap<number, readonly RenameRow[]>;
  readonly moments: ReadonlyMap<string, Moment>;
  readonly elsewhere: ReadonlyMap<string, number>;
  /** Imported history has only the states at the ends of exports, without ids of commits. 0 if there was no import. */
  readonly importedSeq: number;
}

export interface RecordStretch extends NamedRecords {
  readonly own: readonly RecordRow[];
  readonly versions: ReadonlyMap<number, readonly VersionRow[]>;
  readonly shapeFields: readonly ShapeFieldRow[];
}

export interface CommitStretch extends NamedRecords {
  readonly commits: readonly CommitRow[];
  readonly previous: CommitRow | undefined;
  readonly made: ReadonlyMap<string, Omit<VersionRow, 'data'>>;
}

export const versionKey = (recordId: number, version: number) => `${recordId}@v${version}`;

interface StoredReference extends Identity {
  readonly path: string;
}

export function referencesOf({ refs }: Pick<VersionRow, 'refs'>): StoredReference[] {
  if (refs === null) return [];
  const pairs = parsed(refs);
  if (!Array.isArray(pairs)) return [];
  return pairs.flatMap((pair: unknown) => {
    const [path, text] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const identity = identityIn(text);
    return typeof path === 'string' && identity !== undefined ? [{ path, ...identity }] : [];
  });
}

export function identityIn(text: unknown): Identity | undefined {
  try {
    return typeof text === 'string' ? parseIdentity(text) : undefined;
  } catch {
    return undefined;
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const HASH_OF_EMPTY = createHash('sha256').update('{}').digest('hex');

/** Purging keeps the hash of the original data, because the commit chain covers it. */
export function isPurged({ data, data_hash }: Pick<VersionRow, 'data' | 'data_hash'>): boolean {
  return data === '{}' && hex(data_hash) !== HASH_OF_EMPTY;
}

/** A version that a later operation of the same commit replaced was never visible. */
export function isVisible({ from_seq, to_seq }: Pick<VersionRow, 'from_seq' | 'to_seq'>): boolean {
  return to_seq === null || to_seq > from_seq;
}

export const hex = (bytes: Uint8Array | null) => (bytes === null ? 'nothing' : Buffer.from(bytes).toString('hex'));

export function recordDifferences(stretch: RecordStretch): string[] {
  const { own, records, versions } = stretch;
  const stray = [...versions.keys()]
    .filter((id) => !records.has(id))
    .map((id) => `versions without their record ${id}`);
  return [
    ...stray,
    ...own.flatMap((record) => [...checksumDifferences(record, stretch), ...differencesOf(record, stretch)]),
  ];
}

function differencesOf(record: RecordRow, { records, versions, importedSeq }: RecordStretch): string[] {
  const own = versions.get(record.record_id) ?? [];
  const differences = [
    ...headDifferences(record, own, importedSeq),
    ...own.flatMap((version, index) => versionDifferences(version, own[index - 1], importedSeq)),
  ];
  const { shape_id, kind, about } = record;
  if (about !== null && identityIn(about) === undefined) differences.push(`its subject ${about} is not an identity`);
  if ((kind === 'shape') !== (shape_id === 0)) differences.push(`it is a ${kind}, but its shape is ${shape_id}`);
  if (shape_id !== 0 && records.get(shape_id)?.kind !== 'shape')
    differences.push(`its shape ${shape_id} is not a shape`);
  if ((kind === 'assertion') !== (about !== null)) differences.push(`it is a ${kind}, but its subject is ${about}`);
  return differences.map((difference) => `record ${record.record_id}: ${difference}`);
}

function checksumDifferences(record: RecordRow, { repoId, versions }: RecordStretch): string[] {
  const { record_id, crc } = record;
  const own = versions.get(record_id) ?? [];
  const wrong = own.filter((version) => checksumVersion(repoId, version) !== version.crc);
  return [
    ...(checksumHead(repoId, record) === crc ? [] : [`record ${record_id}: its checksum is wrong`]),
    ...wrong.map(({ version }) => `record ${record_id}: version ${version}: its checksum is wrong`),
  ];
}

function headDifferences(record: RecordRow, own: readonly VersionRow[], importedSeq: number): string[] {
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return ['it has no version'];
  const begun = first.from_seq <= importedSeq ? Math.min(record.created_seq, first.from_seq) : first.from_seq;
  const head = [record.version, record.active, record.created_seq, record.updated_seq];
  const ends = [last.version, last.active, begun, last.from_seq];
  return [
    ...(String(head) === String(ends) ? [] : [`its head says ${head}, but its versions say ${ends}`]),
    ...(last.to_seq === null ? [] : [`its last version ended at ${last.to_seq}`]),
  ];
}

function versionDifferences(version: VersionRow, before: VersionRow | undefined, importedSeq: number): string[] {
  const { operation, active, data, data_hash } = version;
  const differences = version.from_seq <= importedSeq ? [] : orderDifferences(version, before);
  if ((operation === 'retract') !== (active === 0)) differences.push(`${operation} left it with active ${active}`);
  const isWritten = isPurged(version) || hex(sha256(data)) === hex(data_hash);
  if (!isWritten) differences.push('its hash does not match its data');
  else if (canonical(parsed(data)) !== data) differences.push('its data is not in canonical form');
  if (formatReferences(referencesOf(version)) !== version.refs) differences.push('its references are damaged');
  return differences.map((difference) => `version ${version.version}: ${difference}`);
}

function orderDifferences(row: VersionRow, before: VersionRow | undefined): string[] {
  const differences = placeDifferences(row, before);
  if ((row.operation === 'add') !== (before === undefined)) differences.push(`it was written by ${row.operation}`);
  if (row.operation === 'retract') differences.push(...retractionDifferences(row, before));
  return differences;
}

function placeDifferences({ version, from_seq, op_index }: VersionRow, before: VersionRow | undefined): string[] {
  if (version !== (before?.version ?? 0) + 1) return [`it follows version ${before?.version ?? 0}`];
  if (before === undefined) return [];
  if (before.to_seq !== from_seq) return [`it starts at ${from_seq}, but the version before ended at ${before.to_seq}`];
  const isEarlier = before.from_seq > from_seq || (before.from_seq === from_seq && before.op_index >= op_index);
  return isEarlier ? ['it is older than the version before'] : [];
}

function retractionDifferences(version: VersionRow, before: VersionRow | undefined): string[] {
  if (before?.active !== 1) return ['it was retracted twice'];
  const { data, refs, shape_version } = version;
  const isKept = data === before.data && refs === before.refs && shape_version === before.shape_version;
  return isKept ? [] : ['the retraction changed its content'];
}
