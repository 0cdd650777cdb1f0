// Updates the search index in steps. Documents and position change in one transaction, so any process may take a step.
import { type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import type { CommitEntry } from '../commit/integrity.rule.ts';
import type { BulkStatement, Reader, Transaction, Value, WritableDatabase } from '../engine/database.ts';
import { type DocumentRow, FIND_DOCUMENTS, REMOVE_DOCUMENTS, REPLACE_DOCUMENTS, tokensOf } from './search.sql.ts';

const RECORDS_A_STEP = 500;
const BYTES_A_STEP = 4 * 1_024 * 1_024;
const COMMITS_A_STEP = 500;
const REMOVED_A_STEP = 2_000;

async function followRepository(tx: Transaction, { repoId }: SystemGrant): Promise<boolean> {
  const state = await lockState(tx, repoId);
  const [head] = await tx.query<{ repo_seq: number }>('select repo_seq from repo_sequence where repo_id = $1', [
    repoId,
  ]);
  if (head === undefined) return await forgetRepository(tx, repoId);
  if (head.repo_seq === state.indexed_seq) return true;
  const known = await isOurHistory(tx, state);
  const task = await taskOf(tx, known ? state : { ...START, repo_id: repoId }, head.repo_seq);
  const { ids, place } = await nextRecords(tx, task);
  await replaceDocuments(tx, repoId, ids);
  await saveState(tx, task, place);
  return place === undefined && task.throughSeq >= head.repo_seq;
}

interface StateRow {
  readonly repo_id: number;
  readonly indexed_seq: number;
  readonly commit_id: Uint8Array | null;
  readonly through_seq: number | null;
  readonly shape_id: number;
  readonly record_id: number;
}

const START = { indexed_seq: 0, commit_id: null, through_seq: null, shape_id: 0, record_id: 0 };

/** Concurrent callers wait for the row lock and then find the step done. */
async function lockState(tx: Transaction, repoId: number): Promise<StateRow> {
  const find = `select repo_id, indexed_seq, commit_id, through_seq, shape_id, record_id from search_state
    where repo_id = $1 ${tx.forUpdate}`;
  const [found] = await tx.query<StateRow>(find, [repoId]);
  if (found !== undefined) return found;
  const insert = `insert into search_state (repo_id, indexed_seq, shape_id, record_id) values ($1, 0, 0, 0)
    on conflict do nothing`;
  await tx.query(insert, [repoId]);
  const [made] = await tx.query<StateRow>(find, [repoId]);
  return made ?? { ...START, repo_id: repoId };
}

/** `false` when the database was restored to an earlier state, or is not the one that the index was built from. */
async function isOurHistory(reader: Reader, { repo_id, indexed_seq, commit_id }: StateRow): Promise<boolean> {
  if (indexed_seq === 0) return true;
  const found = await findCommitId(reader, repo_id, indexed_seq);
  return found !== null && commit_id !== null && Buffer.compare(found, commit_id) === 0;
}

async function findCommitId(reader: Reader, repoId: number, repoSeq: number): Promise<Uint8Array | null> {
  const [row] = await reader.query<{ commit_id: Uint8Array }>(
    'select commit_id from "commit" where repo_id = $1 and repo_seq = $2',
    [repoId, repoSeq],
  );
  return row?.commit_id ?? null;
}

interface Task {
  readonly repoId: number;
  readonly indexedSeq: number;
  readonly throughSeq: number;
  readonly place: FollowPosition;
}

interface FollowPosition {
  /** 0 for records that changed themselves, else the shape whose rename changed their names. */
  readonly shapeId: number;
  readonly recordId: number;
}

async function taskOf(reader: Reader, state: StateRow, head: number): Promise<Task> {
  const { repo_id: repoId, indexed_seq: indexedSeq, shape_id: shapeId, record_id: recordId } = state;
  const throughSeq = state.through_seq ?? (indexedSeq === 0 ? head : await endOfTask(reader, state, head));
  return { repoId, indexedSeq, throughSeq, place: { shapeId, recordId } };
}

async function endOfTask(reader: Reader, { repo_id, indexed_seq }: StateRow, head: number): Promise<number> {
  const commits = await reader.query<{ repo_seq: number; operation_count: number }>(
    `select repo_seq, operation_count from "commit" where repo_id = $1 and repo_seq > $2
     order by repo_seq limit ${COMMITS_A_STEP}`,
    [repo_id, indexed_seq],
  );
  let operations = 0;
  const beyond = commits.findIndex(({ operation_count }) => {
    operations += operation_count;
    return operations > RECORDS_A_STEP;
  });
  const taken = beyond === -1 ? commits : commits.slice(0, Math.max(1, beyond));
  return taken.at(-1)?.repo_seq ?? head;
}

async function nextRecords(
  tx: Transaction,
  task: Task,
): Promise<{ ids: readonly number[]; place: FollowPosition | undefined }> {
  const places = await nextPlaces(tx, task);
  const ids = places.map(({ recordId }) => recordId);
  const fitting = await countFitting(tx, task.repoId, ids);
  const isLast = fitting === ids.length && ids.length < RECORDS_A_STEP;
  return { ids: ids.slice(0, fitting), place: isLast ? undefined : places[fitting - 1] };
}

/** An initial build indexes each record once in its current state, however long the history. */
async function nextPlaces(tx: Transaction, task: Task): Promise<FollowPosition[]> {
  const { repoId, indexedSeq, place } = task;
  if (indexedSeq === 0) {
    const rows = await tx.query<RecordIdRow>(
      `select record_id from record where repo_id = $1 and record_id > $2 order by record_id limit ${RECORDS_A_STEP}`,
      [repoId, place.recordId],
    );
    return rows.map(({ record_id }) => ({ shapeId: 0, recordId: record_id }));
  }
  const { changed, renamedShapes } = await findChanges(tx, task);
  const places = place.shapeId === 0 ? changed.filter((id) => id > place.recordId).map(changedItself) : [];
  for (const shapeId of renamedShapes) {
    if (places.length >= RECORDS_A_STEP) break;
    if (shapeId < place.shapeId) continue;
    const after = shapeId === place.shapeId ? place.recordId : 0;
    places.push(...(await recordsOfShape(tx, repoId, { shapeId, recordId: after })));
  }
  return places.slice(0, RECORDS_A_STEP);
}

const changedItself = (recordId: number): FollowPosition => ({ shapeId: 0, recordId });

interface RecordIdRow {
  readonly record_id: number;
}

async function recordsOfShape(
  reader: Reader,
  repoId: number,
  { shapeId, recordId }: FollowPosition,
): Promise<FollowPosition[]> {
  const rows = await reader.query<RecordIdRow>(
    `select record_id from record where repo_id = $1 and shape_id = $2 and record_id > $3
     order by record_id limit ${RECORDS_A_STEP}`,
    [repoId, shapeId, recordId],
  );
  return rows.map(({ record_id }) => ({ shapeId, recordId: record_id }));
}

const FIND_SHAPES: BulkStatement = {
  each: `select record_id from record where repo_id = $1 and record_id = $2 and kind = 'shape'`,
  set: `select k.ord::int as ord, r.record_id from unnest($2::bigint[]) with ordinality as k (record_id, ord)
    join record r on r.repo_id = $1 and r.record_id = k.record_id and r.kind = 'shape'`,
};

async function findChanges(
  reader: Reader,
  { repoId, indexedSeq, throughSeq }: Task,
): Promise<{ changed: number[]; renamedShapes: number[] }> {
  const commits = await reader.query<{ entries: string }>(
    'select entries from "commit" where repo_id = $1 and repo_seq > $2 and repo_seq <= $3',
    [repoId, indexedSeq, throughSeq],
  );
  const entries = commits.flatMap((commit) => JSON.parse(commit.entries) as CommitEntry[]);
  const renamed = distinct(entries.filter(([, , , rename]) => rename !== undefined));
  const shapes = await reader.bulk<RecordIdRow>(FIND_SHAPES, { common: [repoId], rows: renamed.map((id) => [id]) });
  const renamedShapes = shapes.map(({ record_id }) => record_id).sort((a, b) => a - b);
  return { changed: distinct(entries), renamedShapes };
}

function distinct(entries: readonly CommitEntry[]): number[] {
  return [...new Set(entries.map(([, recordId]) => recordId))].sort((a, b) => a - b);
}

const HEAD = `join version v on v.repo_id = $1 and v.record_id = r.record_id and v.version = r.version`;
const GIVEN_HEAD = `from unnest($2::bigint[]) with ordinality as k (record_id, ord)
  cross join lateral (select record_id, shape_id, name, version from record
    where repo_id = $1 and record_id = k.record_id limit 1) as r
  cross join lateral (select data, refs from version
    where repo_id = $1 and record_id = r.record_id and version = r.version limit 1) as v`;

const FIND_SIZES: BulkStatement = {
  each: `select octet_length(v.data) as bytes from record r ${HEAD} where r.repo_id = $1 and r.record_id = $2`,
  set: `select k.ord::int as ord, octet_length(v.data) as bytes ${GIVEN_HEAD}`,
};

async function countFitting(reader: Reader, repoId: number, ids: readonly number[]): Promise<number> {
  const rows = await reader.bulk<{ bytes: number }>(FIND_SIZES, { common: [repoId], rows: ids.map((id) => [id]) });
  const sizes = new Map(rows.map(({ ord, bytes }) => [ord, bytes]));
  let bytes = 0;
  const beyond = ids.findIndex((_, ord) => {
    bytes += sizes.get(ord) ?? 0;
    return bytes > BYTES_A_STEP;
  });
  return beyond === -1 ? ids.length : Math.max(1, beyond);
}

const DOCUMENT_COLUMNS = 'r.record_id, r.name, s.name as shape_name, v.data, v.refs';
const SHAPE = 'left join record s on s.repo_id = $1 and s.record_id = r.shape_id';

const FIND_SOURCES: BulkStatement = {
  each: `select ${DOCUMENT_COLUMNS} from record r ${HEAD} ${SHAPE} where r.repo_id = $1 and r.record_id = $2`,
  set: `select k.ord::int as ord, ${DOCUMENT_COLUMNS} ${GIVEN_HEAD} ${SHAPE}`,
};

export async function replaceDocuments(tx: Transaction, repoId: number, ids: readonly number[]): Promise<void> {
  const unique = [...new Set(ids)];
  const sources = await tx.bulk<DocumentRow>(FIND_SOURCES, { common: [repoId], rows: unique.map((id) => [id]) });
  const rows = sources.map((source): Value[] => [source.record_id, tokensOf(repoId, source)]);
  await tx.bulk(REPLACE_DOCUMENTS, { common: [repoId], rows });
}

async function saveState(tx: Transaction, task: Task, place: FollowPosition | undefined): Promise<void> {
  const { repoId, indexedSeq, throughSeq } = task;
  const seq = place === undefined ? throughSeq : indexedSeq;
  await tx.query(
    `update search_state set indexed_seq = $2, commit_id = $3, through_seq = $4, shape_id = $5, record_id = $6
     where repo_id = $1`,
    [
      repoId,
      seq,
      seq === 0 ? null : await findCommitId(tx, repoId, seq),
      place === undefined ? null : throughSeq,
      place?.shapeId ?? 0,
      place?.recordId ?? 0,
    ],
  );
}

async function forgetRepository(tx: Transaction, repoId: number): Promise<boolean> {
  const rows = await tx.bulk<RecordIdRow>(FIND_DOCUMENTS, { common: [REMOVED_A_STEP], rows: [[repoId]] });
  await tx.bulk(REMOVE_DOCUMENTS, { common: [repoId], rows: rows.map(({ record_id }) => [record_id]) });
  if (rows.length === REMOVED_A_STEP) return false;
  await tx.query('delete from search_state where repo_id = $1', [repoId]);
  return true;
}

const LOOK_EVERY_MS = 1_000;
/** A scan compares the sequences of all repositories, so it may take at most a twentieth of the time. */
const LOOK_SHARE = 20;
/** Caps the pause, because a hung database says nothing about the cost of the next scan. */
const LOOK_PAUSE_MS_MAX = 5_000;
const FOUND_MAX = 1_000;

const BEHIND = `select s.repo_id from repo_sequence s left join search_state i on i.repo_id = s.repo_id
  where s.repo_seq <> coalesce(i.indexed_seq, 0) limit ${FOUND_MAX}`;
const REMOVED = `select i.repo_id from search_state i left join repo_sequence s on s.repo_id = i.repo_id
  where s.repo_id is null limit ${FOUND_MAX}`;

export type FollowRequest = readonly number[];

/** Commits of this process need no scan. An occasional scan finds repositories left over by crashes or lost indexes. */
export class SearchFollower {
  readonly #database: WritableDatabase;
  readonly #waiting = new Set<number>();
  #nextLook = 0;

  constructor(database: WritableDatabase) {
    this.#database = database;
  }

  async step(committedTo: FollowRequest): Promise<boolean> {
    for (const repoId of committedTo) this.#waiting.add(repoId);
    if (this.#waiting.size === 0 && performance.now() >= this.#nextLook) await this.#look();
    const [repoId] = this.#waiting;
    if (repoId === undefined) return false;
    // Deleted first: a failing repository must not block others. A slow one goes to the end.
    this.#waiting.delete(repoId);
    const grant = systemGrant(repoId, 'search index');
    const caughtUp = await this.#database.transaction((tx) => followRepository(tx, grant));
    if (!caughtUp) this.#waiting.add(repoId);
    return true;
  }

  async #look(): Promise<void> {
    const start = performance.now();
    const found = await this.#database.transaction(findBehind);
    for (const repoId of found) this.#waiting.add(repoId);
    const tookMs = performance.now() - start;
    const pauseMs =
      found.length < FOUND_MAX ? Math.min(LOOK_PAUSE_MS_MAX, Math.max(LOOK_EVERY_MS, LOOK_SHARE * tookMs)) : 0;
    this.#nextLook = start + pauseMs;
  }
}

async function findBehind(tx: Transaction): Promise<number[]> {
  const behind = await tx.query<{ repo_id: number }>(BEHIND);
  const removed = await tx.query<{ repo_id: number }>(REMOVED);
  return [...behind, ...removed].map(({ repo_id }) => repo_id);
}
