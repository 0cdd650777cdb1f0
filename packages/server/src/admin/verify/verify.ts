// Checks whether the rows of a repository agree, by deriving everything again without the code that wrote it. It works
// in batches, so that memory does not grow with the repository.

import { formatDurableId } from '@cairn/model/wref';
import type { Reader } from '../../engine/database.ts';
import { canonical, fieldDifferences, fullNameAt, isComplete, nameDifferences, sha256 } from './field.ts';
import { committerDifferences, referenceDifferences, referenceIndexDifferences } from './reference.ts';
import {
  type CommitRow,
  type CommitStretch,
  hex,
  type Moment,
  parsed,
  type RecordRow,
  recordDifferences,
  type SequenceRow,
  type ShapeFieldRow,
  type VersionRow,
  versionKey,
} from './row.ts';
import { commitStretches, openStretches, recordStretches, type StretchSource } from './stretch.ts';

export async function* differencesIn(reader: Reader, repoId: number): AsyncGenerator<string> {
  const [sequence] = await reader.query<SequenceRow>('select * from repo_sequence where repo_id = $1', [repoId]);
  if (sequence === undefined) throw new Error(`there is no repository ${repoId}`);
  const source = await openStretches(reader, { repoId, importedSeq: sequence.imported_seq });
  const counts = { names: 0, references: 0, values: 0, versions: 0, renames: 0 };
  const lastRecordId = yield* recordsOf(source, counts);
  const { lastCommit, lastRenameSeq } = yield* commitsOf(source, counts);
  yield* sequenceDifferences(sequence, { lastCommit, lastRecordId, lastRenameSeq });
  yield* await totalDifferences(reader, {
    repoId,
    counts,
    exportRows: sequence.export_rows,
    fields: source.shapeFields.filter(isComplete),
  });
}

async function* recordsOf(source: StretchSource, counts: Counts): AsyncGenerator<string, number> {
  const { reader } = source;
  let lastRecordId = 0;
  for await (const stretch of recordStretches(source)) {
    yield* recordDifferences(stretch);
    const [named, referred, valued] = [
      await nameDifferences(reader, stretch),
      await referenceIndexDifferences(reader, stretch),
      await fieldDifferences(reader, stretch),
    ];
    yield* [...named.differences, ...referenceDifferences(stretch)];
    yield* [...referred.differences, ...valued.differences];
    counts.names += named.rows;
    counts.references += referred.rows;
    counts.values += valued.rows;
    lastRecordId = stretch.own.at(-1)?.record_id ?? lastRecordId;
  }
  return lastRecordId;
}

async function* commitsOf(
  source: StretchSource,
  counts: Counts,
): AsyncGenerator<string, { lastCommit: CommitRow | undefined; lastRenameSeq: number }> {
  let lastCommit: CommitRow | undefined;
  let lastRenameSeq = 0;
  for await (const stretch of commitStretches(source)) {
    yield* stretch.commits.flatMap((commit, index) => chainDifferences(stretch, commit, index));
    yield* committerDifferences(stretch);
    for (const commit of stretch.commits) {
      const renames = entriesOf(commit).filter(([, , , rename]) => rename !== undefined).length;
      counts.renames += renames;
      counts.versions += entriesOf(commit).length - renames;
      if (renames > 0) lastRenameSeq = commit.repo_seq;
    }
    lastCommit = stretch.commits.at(-1);
  }
  return { lastCommit, lastRenameSeq };
}

interface Counts {
  names: number;
  references: number;
  values: number;
  versions: number;
  renames: number;
}

interface Totals {
  readonly repoId: number;
  readonly counts: Counts;
  readonly exportRows: number;
  readonly fields: readonly ShapeFieldRow[];
}

async function totalDifferences(reader: Reader, { repoId, counts, exportRows, fields }: Totals): Promise<string[]> {
  const count = async (table: string, condition = '', params: readonly number[] = []) => {
    const sql = `select count(*) as n from ${table} where repo_id = $1 ${condition}`;
    const [row] = await reader.query<{ n: number }>(sql, [repoId, ...params]);
    return Number(row?.n ?? 0);
  };
  let values = 0;
  for (const { shape_id, field_id } of fields) {
    values += await count('field_index', 'and shape_id = $2 and field_id = $3', [shape_id, field_id]);
  }
  const references = (await count('ref', 'and target_repo_id = $1')) + (await count('ref', 'and target_repo_id <> $1'));
  const shapeVersions = await count(
    'version',
    'and record_id in (select record_id from record where repo_id = $1 and shape_id = 0)',
  );
  const totals: readonly [string, number, number][] = [
    ['names', await count('name'), counts.names],
    ['references in the index', references, counts.references],
    ['values in field indexes', values, counts.values],
    ['versions', await count('version'), counts.versions],
    ['export rows', (await count('record', 'and shape_id <> 0')) + shapeVersions, exportRows],
    ['renames', await count('rename'), counts.renames],
  ];
  return totals.flatMap(([what, there, told]) =>
    there === told ? [] : [`there are ${there} ${what} instead of ${told}`],
  );
}

export type Entry = readonly [opIndex: number, recordId: number, version: number, rename?: 'rename'];

export function entriesOf({ entries }: CommitRow): Entry[] {
  const list = parsed(entries);
  return Array.isArray(list) && list.every(Array.isArray) ? (list as unknown as Entry[]) : [];
}

function chainDifferences(rows: CommitStretch, commit: CommitRow, index: number): string[] {
  const { repo_seq, operation_count, commit_id } = commit;
  if (repo_seq <= rows.importedSeq) return [];
  const differences: string[] = [];
  const previous = index === 0 ? rows.previous : rows.commits[index - 1];
  const last = previous?.repo_seq ?? 0;
  if (repo_seq !== last + 1) differences.push(`it follows commit ${last}`);
  const operations = entriesOf(commit).map(([opIndex]) => opIndex);
  if (new Set(operations).size !== operation_count) differences.push(`it does not have ${operation_count} operations`);
  if (operations.some((opIndex, at) => opIndex < (operations[at - 1] ?? 0))) differences.push('it is out of order');
  const id = hex(idOf(rows, commit, previous));
  if (id !== hex(commit_id)) differences.push(`its id is ${hex(commit_id)}, but its rows give ${id}`);
  differences.push(...countDifferences(rows, commit, previous));
  return differences.map((difference) => `commit ${repo_seq}: ${difference}`);
}

function countDifferences(rows: CommitStretch, commit: CommitRow, previous: CommitRow | undefined): string[] {
  const before = previous === undefined ? 0 : previous.export_rows;
  if (commit.export_rows === null || before === null) return [];
  const added = entriesOf(commit).filter(([, recordId, version, rename]) => {
    return rename === undefined && (version === 1 || rows.records.get(recordId)?.kind === 'shape');
  }).length;
  if (before + added === commit.export_rows) return [];
  return [`it counts ${commit.export_rows} rows of an export, and added ${added} to ${before}`];
}

function idOf(rows: CommitStretch, commit: CommitRow, previous: CommitRow | undefined): Uint8Array {
  const { repo_seq, created_by, committer_identity, created_at, message } = commit;
  const component = created_by.startsWith('component:') ? created_by : null;
  const before = previous === undefined ? null : hex(previous.commit_id);
  const entries = entriesOf(commit).map((entry) => chainEntry(rows, repo_seq, entry));
  const parts = [before, repo_seq, created_by, committer_identity, component, created_at, message, entries];
  return sha256(canonical(parts));
}

function chainEntry(rows: CommitStretch, seq: number, [op, recordId, number, rename]: Entry): unknown[] {
  const record = rows.records.get(recordId);
  const version = rows.made.get(versionKey(recordId, number));
  if (record === undefined || version === undefined) return [];
  const start = entryStart(rows, record, version, { seq, op });
  if (rename !== undefined) return [...start('rename'), null, record.about, null, null];
  // An empty entry makes the commit's id wrong, so a version in the wrong commit is noticed.
  if (version.from_seq !== seq || version.op_index !== op) return [];
  const { operation, shape_version, data_hash, reason, refs } = version;
  const end = [shape_version, record.about, hex(data_hash), reason];
  return [...start(operation), ...end, ...(refs === null || operation === 'retract' ? [] : [refs])];
}

function entryStart(
  rows: CommitStretch,
  record: RecordRow,
  { version, active }: Pick<VersionRow, 'version' | 'active'>,
  moment: Moment,
) {
  const { record_id, kind, shape_id } = record;
  const identity = (recordId: number) => formatDurableId({ repoId: rows.repoId, recordId });
  const shape = shape_id === 0 ? null : identity(shape_id);
  const name = fullNameAt(rows, record_id, moment);
  return (operation: string) => [identity(record_id), kind, operation, version, name, active === 1, shape];
}

function sequenceDifferences(
  sequence: SequenceRow,
  standing: { lastCommit: CommitRow | undefined; lastRecordId: number; lastRenameSeq: number },
): string[] {
  const { lastCommit, lastRecordId, lastRenameSeq } = standing;
  const { repo_seq, last_record_id, renamed_seq, commit_id, export_rows } = sequence;
  const says = [repo_seq, last_record_id, renamed_seq, hex(commit_id), export_rows];
  const renamedSeq = Math.max(lastRenameSeq, sequence.imported_seq);
  const lastId = hex(lastCommit?.commit_id ?? null);
  const is = [lastCommit?.repo_seq ?? 0, lastRecordId, renamedSeq, lastId, lastCommit?.export_rows ?? 0];
  return String(says) === String(is) ? [] : [`the repository records the state ${says} instead of ${is}`];
}
