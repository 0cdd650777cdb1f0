// Walks records in the order of creation or of the last change, now or at an earlier sequence.
import type { Order } from '@cairn/protocol/read';
import type { Grant } from '../../access/grant.rule.ts';
import type { CommitEntry } from '../../commit/integrity.rule.ts';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import { type Candidate, type Candidates, comparePositions, type Position, type Walk } from './list-request.sql.ts';

type RecordOrder = Exclude<Order, 'name'>;

interface RecordWalkOptions {
  readonly grant: Grant;
  readonly order: RecordOrder;
  readonly shapeIds: readonly number[];
  /** 1 for active records and 0 for retracted ones, as of now. */
  readonly halves: readonly (0 | 1)[];
  readonly lastId?: number | undefined;
}

interface WalkRow {
  readonly record_id: number;
  readonly updated_seq: number;
}

const isDescending = (order: RecordOrder) => order.startsWith('-');
const isByUpdate = (order: RecordOrder) => order.endsWith('updated');

/** `$3` is the id to continue after, `$2` its sequence or the last id in creation order, `$4` the limit. */
function walkStatement(order: RecordOrder): BulkStatement {
  const [beyond, direction] = isDescending(order) ? ['<', 'desc'] : ['>', 'asc'];
  const [place, sorting] = isByUpdate(order)
    ? [`(updated_seq, record_id) ${beyond} ($2, $3)`, `updated_seq ${direction}, record_id ${direction}`]
    : [`record_id ${beyond} $3 and record_id <= $2`, `record_id ${direction}`];
  const index = isByUpdate(order) ? 'record_by_update' : 'record_by_shape';
  const rows = (shape: string, active: string, by = '') => `select record_id, updated_seq from record ${by}
    where repo_id = $1 and shape_id = ${shape} and active = ${active} and ${place} order by ${sorting} limit $4`;
  return {
    // Without the hint, SQLite may scan all records of the repository by id.
    each: rows('$5', '$6', `indexed by ${index}`),
    set: `select k.ord::int as ord, r.record_id, r.updated_seq
      from unnest($5::bigint[], $6::bigint[]) with ordinality as k (shape_id, active, ord)
      cross join lateral (${rows('k.shape_id', 'k.active')}) as r`,
  };
}

const STATEMENTS: Readonly<Record<RecordOrder, BulkStatement>> = {
  created: walkStatement('created'),
  '-created': walkStatement('-created'),
  updated: walkStatement('updated'),
  '-updated': walkStatement('-updated'),
};

export class RecordWalk implements Walk {
  readonly #options: RecordWalkOptions;

  constructor(options: RecordWalkOptions) {
    this.#options = options;
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const { grant, order, shapeIds, halves } = this.#options;
    const [seq, id] = this.#start(after);
    const streams = shapeIds.flatMap((shapeId) => halves.map((half) => [shapeId, half]));
    const rows = await reader.bulk<WalkRow>(STATEMENTS[order], {
      common: [grant.repoId, seq, id, limit],
      rows: streams,
    });
    const found = rows.map((row): Candidate => ({ recordId: row.record_id, position: positionOf(order, row) }));
    return firstOf(found, { limit, descending: isDescending(order) });
  }

  #start(after: Position | undefined): [number, number] {
    const { order, lastId = Number.MAX_SAFE_INTEGER } = this.#options;
    const outermost = isDescending(order) ? Number.MAX_SAFE_INTEGER : -1;
    const [first = outermost, second = outermost] = (after ?? []).map(Number);
    return isByUpdate(order) ? [first, second] : [lastId, first];
  }
}

export function positionOf(order: RecordOrder, row: WalkRow): Position {
  return isByUpdate(order) ? [row.updated_seq, row.record_id] : [row.record_id];
}

interface FirstOptions {
  readonly limit: number;
  readonly descending: boolean;
}

export function firstOf(found: Candidate[], { limit, descending }: FirstOptions): Candidates {
  const sign = descending ? -1 : 1;
  found.sort((a, b) => sign * comparePositions(a.position, b.position));
  return { found: found.slice(0, limit), done: found.length < limit };
}

interface CommitWalkOptions {
  readonly grant: Grant;
  readonly atRepoSeq: number;
  readonly descending: boolean;
}

interface SizeRow {
  readonly repo_seq: number;
  readonly operation_count: number;
}

const COMMITS_A_STEP = 500;

export class CommitWalk implements Walk {
  readonly #options: CommitWalkOptions;

  constructor(options: CommitWalkOptions) {
    this.#options = options;
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const { descending } = this.#options;
    const found: Candidate[] = [];
    let seq = Number(after?.[0] ?? (descending ? this.#options.atRepoSeq : 1));
    for (;;) {
      const taken = await this.#sizes(reader, { from: seq, limit: limit - found.length });
      const last = taken.at(-1);
      if (last === undefined) return { ...firstOf(found, { limit, descending }), done: true };
      found.push(...(await this.#entries(reader, [seq, last.repo_seq], after)));
      if (found.length >= limit) return { ...firstOf(found, { limit, descending }), done: false };
      seq = last.repo_seq + (descending ? -1 : 1);
    }
  }

  async #sizes(reader: Reader, { from, limit }: { from: number; limit: number }): Promise<SizeRow[]> {
    const { grant, atRepoSeq, descending } = this.#options;
    const rows = await reader.query<SizeRow>(
      `select repo_seq, operation_count from "commit" where repo_id = $1 and repo_seq <= $2
       and repo_seq ${descending ? '<=' : '>='} $3 order by repo_seq ${descending ? 'desc' : 'asc'} limit ${COMMITS_A_STEP}`,
      [grant.repoId, atRepoSeq, from],
    );
    let wanted = limit;
    return rows.filter(({ operation_count }) => {
      const isWanted = wanted > 0;
      wanted -= operation_count;
      return isWanted;
    });
  }

  async #entries(reader: Reader, ends: readonly [number, number], after: Position | undefined): Promise<Candidate[]> {
    const rows = await reader.query<{ repo_seq: number; entries: string }>(
      'select repo_seq, entries from "commit" where repo_id = $1 and repo_seq between $2 and $3',
      [this.#options.grant.repoId, Math.min(...ends), Math.max(...ends)],
    );
    const isBeyond = beyond(after, this.#options.descending);
    return rows.flatMap(({ repo_seq, entries }) => {
      const changed = (JSON.parse(entries) as CommitEntry[]).filter(([, , , rename]) => rename === undefined);
      const ids = new Set(changed.map(([, recordId]) => recordId));
      return [...ids]
        .map((recordId): Candidate => ({ recordId, position: [repo_seq, recordId] }))
        .filter(({ position }) => isBeyond(position));
    });
  }
}

function beyond(after: Position | undefined, descending: boolean): (position: Position) => boolean {
  if (after === undefined) return () => true;
  const [seq, id] = after.map(Number) as [number, number];
  return ([itsSeq, itsId]) => {
    const difference = Number(itsSeq) - seq || Number(itsId) - id;
    return descending ? difference < 0 : difference > 0;
  };
}

interface Ways {
  readonly now: Walk;
  readonly ever: Walk;
}

/** Uses the current index until a commit may have moved records; then it walks through history. */
export class HeadWalk implements Walk {
  readonly #database: Reader;
  readonly #grant: Grant;
  readonly #ways: Ways;
  #moved = false;

  constructor(database: Reader, grant: Grant, ways: Ways) {
    this.#database = database;
    this.#grant = grant;
    this.#ways = ways;
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    if (!this.#moved) {
      const found = await this.#ways.now.next(reader, after, limit);
      if (await isStillHead(this.#database, this.#grant)) return found;
      this.#moved = true;
    }
    return await this.#ways.ever.next(reader, after, limit);
  }
}

/** Checked after reading, so that it also covers the time before. */
export async function isStillHead(reader: Reader, { repoId, repository }: Grant): Promise<boolean> {
  const [row] = await reader.query<{ repo_seq: number }>('select repo_seq from repo_sequence where repo_id = $1', [
    repoId,
  ]);
  return row?.repo_seq === repository.repoSeq;
}

const createdSeq = (id: string) => `(select created_seq from record where repo_id = $1 and record_id >= ${id}
  order by record_id limit 1)`;
const middle = '(halves.low + halves.high) / 2';
const isThere = `coalesce(${createdSeq(middle)} <= $2, false)`;

/** Binary search: `low` existed, `high` did not. A missing id stands for the next existing one. */
const FIND_LAST = `with recursive halves (low, high) as (
    select cast(0 as bigint), last_record_id + 1 from repo_sequence where repo_id = $1
    union all
    select case when ${isThere} then ${middle} else halves.low end, case when ${isThere} then halves.high else ${middle} end
    from halves where halves.high - halves.low > 1
  )
  select low from halves where high - low <= 1`;

export async function findLastRecord(
  reader: Reader,
  { repoId, atRepoSeq }: { repoId: number; atRepoSeq: number },
): Promise<number> {
  const [row] = await reader.query<{ low: number }>(FIND_LAST, [repoId, atRepoSeq]);
  return row?.low ?? 0;
}
