// Checks an import as a whole in steps, then publishes it in one small transaction.

import { parseIdentity, parseReferences, type Reference } from '@cairn/model/wref';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ImportFinished } from '@cairn/protocol/export';
import type { WriterMemory } from '../commit/record-set.sql.ts';
import { INSERT_SHAPE_FIELDS } from '../commit/statement.sql.ts';
import type { Reader, Transaction, Value } from '../engine/database.ts';
import {
  hex,
  type ImportAddress,
  type ImportRow,
  type ImportStep,
  importCommitId,
  isRestore,
  lockSequence,
  refuseState,
  requireImport,
  type SequenceRow,
  updateImport,
} from './import-row.sql.ts';
import { applyIncrement } from './increment.write.ts';
import { findHeld } from './record-plan.sql.ts';
import {
  ADD_ENTRIES,
  type CommitRow,
  FIND_LAST_VERSIONS,
  FIND_REFERENCES,
  findCommits,
  type HeldRow,
  holdCommit,
} from './statement.sql.ts';

interface ImportFinishing extends ImportAddress {
  readonly recordCount: number;
}

/** One step; callers repeat it until the import is complete. */
export async function finishImport(
  tx: Transaction,
  finishing: ImportFinishing,
  memory: WriterMemory,
): Promise<ImportFinished> {
  const sequence = await lockSequence(tx, finishing.grant);
  const row = await requireImport(tx, finishing);
  if (row.state === 'clearing') throw refuseState(row, 'The import cannot be finished');
  if (finishing.recordCount !== row.row_count) throw incomplete(row, finishing.recordCount);
  if (row.state === 'complete') return toFinished(row);
  if (isRestore(row)) return await takeStep(tx, row, memory);
  refuseCommitted(row, sequence);
  if (row.at_seq === row.since_seq) return await close(tx, row, sequence.commit_id ?? new Uint8Array(0));
  const added = await applyIncrement(tx, row, memory);
  return await show(tx, row, sequence.export_rows + added);
}

function incomplete({ row_count, state }: ImportRow, recordCount: number) {
  const advice =
    state === 'receiving' && row_count < recordCount ? 'Send the missing rows first.' : 'Abort the import.';
  return fail('CONFLICT', {
    message: `end.recordCount: The last line of the export counts ${recordCount} rows, but the import has ${row_count}. ${advice}`,
    details: { reason: 'import_incomplete', offset: row_count },
  });
}

function refuseCommitted({ since_seq }: ImportRow, { repo_seq }: SequenceRow): void {
  if (repo_seq === since_seq) return;
  throw fail('CONFLICT', {
    message: `This copy has commits since the import started and is at sequence ${repo_seq}, so it cannot follow the original any more. Abort the import, and import into a new repository.`,
    details: { reason: 'import_out_of_step', repoSeq: repo_seq },
  });
}

const NEXT: Readonly<Record<ImportStep, ImportStep>> = {
  commits: 'references',
  references: 'shapes',
  shapes: 'show',
  show: 'show',
};

async function takeStep(tx: Transaction, row: ImportRow, memory: WriterMemory): Promise<ImportFinished> {
  if (row.step === 'show') return await show(tx, row, row.row_count);
  const { done, place = null, count = 0 } = await check(tx, row, memory);
  const checked = row.checked + count;
  const step = done ? NEXT[row.step] : row.step;
  await updateImport(tx, row, { state: 'checking', step, place: done ? null : place, checked });
  return { state: 'checking', checked };
}

async function check(
  tx: Transaction,
  row: ImportRow,
  memory: WriterMemory,
): Promise<{ done: boolean; place?: string | null; count?: number }> {
  if (row.step === 'commits') {
    const count = await writeEntries(tx, row);
    return { done: count === 0, count };
  }
  const place = await (row.step === 'references' ? checkReferences(tx, row) : indexShapes(tx, row, memory));
  return { done: place === null, place };
}

/** Makes the import visible. Imports trigger no subscriptions. */
async function show(tx: Transaction, row: ImportRow, exportRows: number): Promise<ImportFinished> {
  const { repo_id, at_seq } = row;
  const now = Date.now();
  const commitId = importCommitId(row, now);
  if (at_seq > 0) await holdCommit(tx, row, { commitId, exportRows });
  await tx.query(
    `update repo_sequence set repo_seq = $2, imported_seq = $2, renamed_seq = $2, commit_id = $3, export_rows = $4,
       last_record_id = (select coalesce(max(record_id), 0) from record where repo_id = $1), importing = null
     where repo_id = $1`,
    [repo_id, at_seq, at_seq > 0 ? commitId : null, exportRows],
  );
  return await close(tx, row, commitId, now);
}

async function close(
  tx: Transaction,
  row: ImportRow,
  commitId: Uint8Array,
  now: number = Date.now(),
): Promise<ImportFinished> {
  const changes = { state: 'complete', completed_at: now, commit_id: commitId } as const;
  await updateImport(tx, row, changes);
  return toFinished({ ...row, ...changes });
}

function toFinished({ at_seq, commit_id, row_count }: ImportRow): ImportFinished {
  const commitId = hex(commit_id ?? new Uint8Array(0));
  return { state: 'complete', repoSeq: at_seq, commitId, recordCount: row_count };
}

const ENTRIES_A_STEP = 5_000;
/** Larger commits would exceed the memory of code that reads them. */
const COMMIT_ENTRIES_MAX = 100_000;

interface EntryRow {
  readonly repo_seq: number;
  readonly record_id: number;
  readonly version: number;
  readonly renamed: number;
}

export async function writeEntries(tx: Transaction, { repo_id }: ImportRow): Promise<number> {
  const entries = await tx.query<EntryRow>(
    `select repo_seq, record_id, version, renamed from import_entry where repo_id = $1
     order by repo_seq, record_id, version, renamed limit ${ENTRIES_A_STEP}`,
    [repo_id],
  );
  const last = entries.at(-1);
  if (last === undefined) return 0;
  const bySeq = Map.groupBy(entries, ({ repo_seq }) => repo_seq);
  const commits = await findCommits(tx, repo_id, [...bySeq.keys()]);
  await checkCommitters(tx, repo_id, [...commits.values()]);
  const rows = [...bySeq].map(([seq, some]) => {
    const before = commits.get(seq)?.operation_count ?? 0;
    if (before + some.length > COMMIT_ENTRIES_MAX)
      throw refuseImport(`sequence ${seq} has more than ${COMMIT_ENTRIES_MAX} rows, but no commit is that large.`);
    return [seq, some.length, some.map((entry, index) => entryText(entry, before + index)).join(',')];
  });
  await tx.bulk(ADD_ENTRIES, { common: [repo_id], rows });
  await tx.query(
    `delete from import_entry where repo_id = $1 and (repo_seq, record_id, version, renamed) <= ($2, $3, $4, $5)`,
    [repo_id, last.repo_seq, last.record_id, last.version, last.renamed],
  );
  return entries.length;
}

function entryText({ record_id, version, renamed }: EntryRow, opIndex: number): string {
  return `[${opIndex},${record_id},${version}${renamed === 1 ? ',"rename"' : ''}]`;
}

function refuseImport(message: string): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `The export is inconsistent: ${message}`,
    hint: 'Export again if the file was changed or damaged. Abort this import with import.abort.',
  });
}

async function checkCommitters(reader: Reader, repoId: number, commits: readonly CommitRow[]): Promise<void> {
  const targets = commits.flatMap(({ repo_seq, committer, committer_identity }) => {
    const identity = committer_identity === null ? undefined : parseIdentity(committer_identity);
    if (identity?.repoId !== repoId) return [];
    return [{ ...identity, what: `sequence ${repo_seq} was committed for ${committer}` }];
  });
  await checkTargets(reader, repoId, targets);
}

export interface ImportTarget {
  readonly recordId: number;
  readonly version: number;
  readonly what: string;
}

export async function checkTargets(reader: Reader, repoId: number, targets: readonly ImportTarget[]): Promise<void> {
  const [lost] = await findLost(reader, repoId, targets);
  if (lost !== undefined) throw refuseImport(`${lost.what}, which the export does not contain.`);
}

/** A missing version is fine, as long as the record has reached it. */
export async function findLost(
  reader: Reader,
  repoId: number,
  targets: readonly ImportTarget[],
): Promise<ImportTarget[]> {
  const ids = [...new Set(targets.map(({ recordId }) => recordId))];
  const found = await reader.bulk<{ version: number }>(FIND_LAST_VERSIONS, {
    common: [repoId],
    rows: ids.map((id) => [id]),
  });
  const versions = new Map(found.map(({ ord, version }) => [ids[ord], version]));
  return targets.filter(({ recordId, version }) => version > (versions.get(recordId) ?? 0));
}

const REFERENCES_A_STEP = 5_000;
const REFERENCE_KEY = ['target_id', 'role', 'repo_id', 'record_id', 'path', 'from_seq'] as const;
const FIRST_REFERENCE: Value[] = [0, '', 0, 0, '', 0];

interface ReferenceRow {
  readonly target_id: number;
  readonly role: string;
  readonly repo_id: number;
  readonly record_id: number;
  readonly path: string;
  readonly from_seq: number;
  readonly target_version: number;
  readonly held: number | null;
}

async function checkReferences(tx: Transaction, { repo_id, place }: ImportRow): Promise<string | null> {
  const after = place === null ? FIRST_REFERENCE : (JSON.parse(place) as Value[]);
  const key = REFERENCE_KEY.join(', ');
  const rows = await tx.query<ReferenceRow>(
    `select ${key}, target_version,
       (select version from record t where t.repo_id = $1 and t.record_id = ref.target_id) as held
     from ref where target_repo_id = $1 and (${key}) > ($2, $3, $4, $5, $6, $7)
     order by ${key} limit ${REFERENCES_A_STEP}`,
    [repo_id, ...after],
  );
  const lost = rows.find((row) => row.repo_id === repo_id && row.target_version > (row.held ?? 0));
  if (lost !== undefined) throw refuseImport(await lostReference(tx, repo_id, lost));
  const last = rows.at(-1);
  if (last === undefined || rows.length < REFERENCES_A_STEP) return null;
  return JSON.stringify(REFERENCE_KEY.map((column) => last[column]));
}

async function lostReference(reader: Reader, repoId: number, row: ReferenceRow): Promise<string> {
  const [source] = await reader.query<{ name: string; shape_name: string | null }>(
    `select r.name, s.name as shape_name from record r left join record s on s.repo_id = $1 and s.record_id = r.shape_id
     where r.repo_id = $1 and r.record_id = $2`,
    [repoId, row.record_id],
  );
  const name = source?.shape_name ? `${source.shape_name}/${source.name}` : source?.name;
  const target = `version ${row.target_version} of record ${row.target_id}`;
  return `${name} refers${row.path === '' ? '' : ` at ${row.path}`} to ${target}, which the export does not contain.`;
}

const SHAPES_A_STEP = 100;

async function indexShapes(tx: Transaction, row: ImportRow, memory: WriterMemory): Promise<string | null> {
  const { repo_id, place } = row;
  const named = await tx.query<{ name: string; record_id: number }>(
    `select name, record_id from name where repo_id = $1 and shape_id = 0 and name > $2
     order by name limit ${SHAPES_A_STEP}`,
    [repo_id, place ?? ''],
  );
  const shapes = await findHeld(
    tx,
    repo_id,
    named.map(({ record_id }) => record_id),
  );
  const fields = [...shapes.values()].flatMap(({ record_id, from_seq, data, data_hash }) =>
    memory.validator({ data, dataHash: data_hash }).indexedFields.map(({ path }, index) => {
      return [record_id, index + 1, path, from_seq, 0];
    }),
  );
  await tx.bulk(INSERT_SHAPE_FIELDS, { common: [repo_id], rows: fields });
  await checkShapeVersions(tx, repo_id, [...shapes.values()]);
  return named.length < SHAPES_A_STEP ? null : (named.at(-1)?.name ?? null);
}

/** Checks older versions too, which the reference index does not cover. */
async function checkShapeVersions(reader: Reader, repoId: number, shapes: readonly HeldRow[]): Promise<void> {
  const versions = await reader.bulk<{ refs: string }>(FIND_REFERENCES, {
    common: [repoId],
    rows: shapes.map(({ record_id }) => [record_id]),
  });
  const targets = versions.flatMap(({ ord, refs }) => {
    return targetsOf(repoId, parseReferences(refs), shapes[ord]?.name ?? '');
  });
  await checkTargets(reader, repoId, targets);
}

export function targetsOf(repoId: number, references: readonly Reference[], name: string): ImportTarget[] {
  return references
    .filter((reference) => reference.repoId === repoId)
    .map(({ recordId, version, path }) => ({
      recordId,
      version,
      what: `${name} refers${path === '' ? '' : ` at ${path}`} to version ${version} of record ${recordId}`,
    }));
}
