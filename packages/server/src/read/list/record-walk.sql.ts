// Goes through the records of shapes in the order of their creation or of their last change.
import type { Order } from '@cairn/protocol/read';
import type { Grant } from '../../access/grant.rule.ts';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import { type Candidate, type Candidates, comparePositions, type Position, type Walk } from './list-request.sql.ts';

type RecordOrder = Exclude<Order, 'name'>;

export interface RecordWalkOptions {
  readonly grant: Grant;
  readonly order: RecordOrder;
  readonly shapeIds: readonly number[];
  /** Of each shape: what is active now, what is retracted now, or both. */
  readonly halves: readonly (0 | 1)[];
  /** The last record that was there at the sequence read; only in the order of creation. */
  readonly lastId?: number | undefined;
}

interface WalkRow {
  readonly record_id: number;
  readonly updated_seq: number;
}

const isDescending = (order: RecordOrder) => order.startsWith('-');
const isByUpdate = (order: RecordOrder) => order.endsWith('updated');

/**
 * `$3` is the id after which it goes on and `$4` how many; then a shape and one half of it. `$2` is the sequence that goes
 * with the id, or in the order of creation the id with which it ends.
 */
function walkStatement(order: RecordOrder): BulkStatement {
  const [beyond, direction] = isDescending(order) ? ['<', 'desc'] : ['>', 'asc'];
  const [place, sorting] = isByUpdate(order)
    ? [`(updated_seq, record_id) ${beyond} ($2, $3)`, `updated_seq ${direction}, record_id ${direction}`]
    : [`record_id ${beyond} $3 and record_id <= $2`, `record_id ${direction}`];
  const index = isByUpdate(order) ? 'record_by_update' : 'record_by_shape';
  const rows = (shape: string, active: string, by = '') => `select record_id, updated_seq from record ${by}
    where repo_id = $1 and shape_id = ${shape} and active = ${active} and ${place} order by ${sorting} limit $4`;
  return {
    // Left to itself, SQLite may prefer to read all records of the repository in the order of their ids.
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

/** Of several streams that gave at most so many each, the first so many of all. */
export function firstOf(found: Candidate[], { limit, descending }: FirstOptions): Candidates {
  const sign = descending ? -1 : 1;
  found.sort((a, b) => sign * comparePositions(a.position, b.position));
  return { found: found.slice(0, limit), done: found.length < limit };
}
