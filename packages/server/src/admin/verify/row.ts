// The rows of a repository as they stand in its tables, in stretches of which each fits into memory.
import { createHash } from 'node:crypto';
import type { HeadColumns } from '../../commit/row-checksum.rule.ts';
import { type Identity, parseIdentity } from '../../model/reference.ts';
import type { Moment } from './moment.ts';

export interface RecordRow extends HeadColumns {
  readonly crc: number;
}

export interface VersionRow {
  readonly record_id: number;
  readonly version: number;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly op_index: number;
  readonly operation: string;
  readonly active: number;
  readonly shape_version: number | null;
  readonly reason: string | null;
  readonly data_hash: Uint8Array;
  readonly data: string;
  readonly refs: string | null;
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

export interface CommitRow {
  readonly repo_seq: number;
  readonly commit_id: Uint8Array;
  readonly created_at: number;
  readonly created_by: string;
  readonly committer: string | null;
  readonly committer_identity: string | null;
  readonly message: string;
  readonly operation_count: number;
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

/** What is known of records whose turn it is, and of those that they name. */
export interface NamedRecords {
  readonly repoId: number;
  readonly records: ReadonlyMap<number, RecordRow>;
  /** Of each record, in order. */
  readonly renames: ReadonlyMap<number, readonly RenameRow[]>;
  /** When a version was made that is referred to, by `keyOf`. */
  readonly moments: ReadonlyMap<string, Moment>;
  /** The last version of records of other repositories, by `repository/record`. */
  readonly elsewhere: ReadonlyMap<string, number>;
  /**
   * Up to where the repository was imported; 0 where it was not. Of what was until then it has what exports told: how things
   * stood at their ends, without what lay between, and without the ids of commits.
   */
  readonly importedSeq: number;
}

/** Some records with all that is told about them. */
export interface RecordStretch extends NamedRecords {
  readonly own: readonly RecordRow[];
  /** Of each of them and of each shape, in order. */
  readonly versions: ReadonlyMap<number, readonly VersionRow[]>;
  readonly shapeFields: readonly ShapeFieldRow[];
}

/** Some commits with all that they say they made. */
export interface CommitStretch extends NamedRecords {
  readonly commits: readonly CommitRow[];
  readonly previous: CommitRow | undefined;
  /** Without their data, by `keyOf`. */
  readonly made: ReadonlyMap<string, Omit<VersionRow, 'data'>>;
}

export const keyOf = (recordId: number, version: number) => `${recordId}@v${version}`;

export interface StoredReference extends Identity {
  readonly path: string;
}

/** What the data of a version refers to, as it is kept beside the data; nothing where that cannot be read. */
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

/** `undefined` where it is damaged. */
export function identityIn(text: unknown): Identity | undefined {
  try {
    return typeof text === 'string' ? parseIdentity(text) : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` where it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const HASH_OF_EMPTY = createHash('sha256').update('{}').digest('hex');

/** Its data was removed for good; its hash stayed, for the chain. */
export function isPurged({ data, data_hash }: Pick<VersionRow, 'data' | 'data_hash'>): boolean {
  return data === '{}' && hex(data_hash) !== HASH_OF_EMPTY;
}

/** One that a later operation of the same commit replaced was never seen by anyone. */
export function isVisible({ from_seq, to_seq }: Pick<VersionRow, 'from_seq' | 'to_seq'>): boolean {
  return to_seq === null || to_seq > from_seq;
}

export const hex = (bytes: Uint8Array | null) => (bytes === null ? 'nothing' : Buffer.from(bytes).toString('hex'));
