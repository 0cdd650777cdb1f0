// The rows of one repository, as they stand in its tables.
import { type Identity, parseIdentity } from '../../../packages/server/src/model/reference.ts';
import type { Reader } from '../../../packages/server/src/store/database.ts';

export interface RecordRow {
  readonly record_id: number;
  readonly kind: string;
  readonly shape_id: number;
  readonly name: string;
  readonly version: number;
  readonly active: number;
  readonly created_seq: number;
  readonly updated_seq: number;
  readonly about: string | null;
  readonly about_wref: string | null;
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
}

export interface SequenceRow {
  readonly repo_seq: number;
  readonly last_record_id: number;
  readonly commit_id: Uint8Array | null;
  readonly renamed_seq: number;
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

export interface RepositoryRows {
  readonly repoId: number;
  readonly records: ReadonlyMap<number, RecordRow>;
  /** Of each record, in order. */
  readonly versions: ReadonlyMap<number, readonly VersionRow[]>;
  readonly names: readonly NameRow[];
  /** Of each record, in order. */
  readonly renames: ReadonlyMap<number, readonly RenameRow[]>;
  readonly commits: readonly CommitRow[];
  readonly sequence: SequenceRow;
  readonly refs: readonly RefRow[];
  readonly shapeFields: readonly ShapeFieldRow[];
  readonly fieldIndex: readonly FieldIndexRow[];
  /** The last version of records of other repositories that this one refers to, by `repository/record`. */
  readonly elsewhere: ReadonlyMap<string, number>;
}

export async function loadRows(reader: Reader, repoId: number): Promise<RepositoryRows> {
  const all = <Row>(table: string, order: string) =>
    reader.query<Row>(`select * from ${table} where repo_id = $1 order by ${order}`, [repoId]);
  const records = await all<RecordRow>('record', 'record_id');
  const versions = await all<VersionRow>('version', 'record_id, version');
  const [sequence] = await all<SequenceRow>('repo_sequence', 'repo_id');
  if (sequence === undefined) throw new Error(`there is no repository ${repoId}`);
  return {
    repoId,
    records: new Map(records.map((record) => [record.record_id, record])),
    versions: Map.groupBy(versions, ({ record_id }) => record_id),
    names: await all<NameRow>('name', 'shape_id, name, from_seq'),
    renames: Map.groupBy(await all<RenameRow>('rename', 'record_id, repo_seq, op_index'), ({ record_id }) => record_id),
    commits: await all<CommitRow>('"commit"', 'repo_seq'),
    sequence,
    refs: await all<RefRow>('ref', 'record_id, path, from_seq'),
    shapeFields: await all<ShapeFieldRow>('shape_field', 'shape_id, field_id'),
    fieldIndex: await all<FieldIndexRow>('field_index', 'shape_id, field_id, record_id, from_seq'),
    elsewhere: await loadElsewhere(reader, { repoId, records, versions }),
  };
}

interface Referring {
  readonly repoId: number;
  readonly records: readonly RecordRow[];
  readonly versions: readonly VersionRow[];
}

async function loadElsewhere(reader: Reader, { repoId, records, versions }: Referring): Promise<Map<string, number>> {
  const identities = [
    ...records.flatMap(({ about }) => (about === null ? [] : [parseIdentity(about)])),
    ...versions.flatMap(referencesOf),
  ];
  const others = new Set(identities.map((identity) => identity.repoId).filter((id) => id !== repoId));
  const found = new Map<string, number>();
  for (const other of others) {
    const rows = await reader.query<RecordRow>('select record_id, version from record where repo_id = $1', [other]);
    for (const { record_id, version } of rows) found.set(`${other}/${record_id}`, version);
  }
  return found;
}

export interface StoredReference extends Identity {
  readonly path: string;
}

/** What the data of a version refers to, as it is kept beside the data. */
export function referencesOf({ refs }: Pick<VersionRow, 'refs'>): StoredReference[] {
  const pairs = JSON.parse(refs ?? '[]') as [path: string, identity: string][];
  return pairs.map(([path, identity]) => ({ path, ...parseIdentity(identity) }));
}

/** One that a later operation of the same commit replaced was never seen by anyone. */
export function isVisible({ from_seq, to_seq }: Pick<VersionRow, 'from_seq' | 'to_seq'>): boolean {
  return to_seq === null || to_seq > from_seq;
}

export const hex = (bytes: Uint8Array | null) => (bytes === null ? 'nothing' : Buffer.from(bytes).toString('hex'));
