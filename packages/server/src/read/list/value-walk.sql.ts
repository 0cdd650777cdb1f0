// Goes through records whose field has a value in some ranges, in the order of their creation. The index has them in the
// order of their values: each step passes over all that lies in the ranges, stretch by stretch, and keeps the first. So it
// takes as long as there is much in the ranges, however many records have other values.

import type { Grant } from '../../access/grant.rule.ts';
import type { Engine, Reader, Value } from '../../engine/database.ts';
import type { IndexedCondition } from './field-probe.sql.ts';
import type { KeyRange } from './field-range.sql.ts';
import type { Candidates, Position, Walk } from './list-request.sql.ts';

/** A few milliseconds of work: an entry of an index is little beside a record. */
const STRETCH_ENTRIES = 20_000;

interface ValueWalkOptions {
  readonly grant: Grant;
  readonly engine: Engine;
  readonly condition: IndexedCondition;
  readonly descending: boolean;
  /** Whether the values of now suffice. */
  readonly now: boolean;
  readonly stretchEntries?: number;
}

interface StretchRow {
  /** Ids between the bounds, the first of them in the order of the walk. */
  readonly ids: string;
  readonly looked_at: number;
  readonly last_value: Uint8Array | null;
  readonly last_id: number | null;
}

/** Where a stretch begins: right after an entry. */
type Entry = readonly [value: Uint8Array, recordId: number];

interface Stretch {
  readonly start: Entry;
  /** Values from here on are beyond the range. */
  readonly to: Uint8Array;
}

export class ValueWalk implements Walk {
  readonly #options: ValueWalkOptions;
  readonly #stretchEntries: number;
  readonly #statement: string;

  constructor(options: ValueWalkOptions) {
    this.#options = options;
    this.#stretchEntries = options.stretchEntries ?? STRETCH_ENTRIES;
    this.#statement = stretchStatement(options);
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const { condition, descending } = this.#options;
    const first = new FirstIds({ limit, descending, after: after === undefined ? undefined : Number(after[0]) });
    for (const range of condition.ranges) await this.#pass(reader, range, first);
    const found = first.ids.map((recordId) => ({ recordId, position: [recordId] }));
    return { found, done: !first.isCut };
  }

  async #pass(reader: Reader, { from, to }: KeyRange, first: FirstIds): Promise<void> {
    let start: Entry | undefined = [from, -1];
    while (start !== undefined) start = await this.#stretch(reader, { start, to }, first);
  }

  /** Where the next one begins, if there is more. */
  async #stretch(reader: Reader, { start, to }: Stretch, first: FirstIds): Promise<Entry | undefined> {
    const { grant, condition } = this.#options;
    const { shapeId, fieldId } = condition;
    const entries = this.#stretchEntries;
    const place: Value[] = [grant.repoId, shapeId, fieldId, ...start, to, entries];
    const wanted = [first.low, first.high, first.limit + 1];
    const [row] = await reader.query<StretchRow>(this.#statement, [...place, ...wanted]);
    if (row === undefined) return undefined;
    first.add(JSON.parse(row.ids) as number[]);
    const { looked_at, last_value, last_id } = row;
    return looked_at < entries || last_value === null || last_id === null ? undefined : [last_value, last_id];
  }
}

function stretchStatement({ engine, descending, now }: ValueWalkOptions): string {
  const direction = descending ? 'desc' : 'asc';
  const by = now && engine === 'sqlite' ? 'indexed by field_index_open' : '';
  const ids = engine === 'sqlite' ? 'json_group_array(record_id)' : `coalesce(json_agg(record_id)::text, '[]')`;
  // A record may have had a value for several stretches of time.
  return `with looked as materialized (select value, record_id from field_index ${by}
      where repo_id = $1 and shape_id = $2 and field_id = $3 and (value, record_id) > ($4, $5) and value < $6
      ${now ? 'and to_seq is null' : ''} order by value, record_id limit $7),
    last as (select value, record_id from looked order by value desc, record_id desc limit 1)
    select (select count(*) from looked) as looked_at, (select value from last) as last_value,
      (select record_id from last) as last_id,
      (select ${ids} from (select ${now ? '' : 'distinct'} record_id from looked where record_id > $8 and record_id < $9
        order by record_id ${direction} limit $10) as first) as ids`;
}

interface FirstOptions {
  readonly limit: number;
  readonly descending: boolean;
  readonly after: number | undefined;
}

/** The first ids of all that are added, in the order of a walk. */
class FirstIds {
  readonly limit: number;
  ids: number[] = [];
  /** Whether there were more. */
  isCut = false;
  /** Between these two are those that are wanted. */
  low: number;
  high: number;
  readonly #sign: 1 | -1;

  constructor({ limit, descending, after }: FirstOptions) {
    this.limit = limit;
    this.#sign = descending ? -1 : 1;
    this.low = descending ? -1 : (after ?? -1);
    this.high = descending ? (after ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
  }

  add(more: readonly number[]): void {
    const all = [...new Set([...this.ids, ...more])].sort((a, b) => this.#sign * (a - b));
    this.ids = all.slice(0, this.limit);
    const last = this.ids.at(-1);
    if (all.length <= this.limit || last === undefined) return;
    this.isCut = true;
    if (this.#sign === 1) this.high = last;
    else this.low = last;
  }
}
