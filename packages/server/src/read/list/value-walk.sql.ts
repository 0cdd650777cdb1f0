// Walks records whose field value is in some ranges. The index is in value order, so each step scans all entries of the
// ranges and keeps the first ids.
import type { Grant } from '../../access/grant.rule.ts';
import type { BulkStatement, Engine, Reader, Value } from '../../engine/database.ts';
import type { IndexedCondition, KeyRange } from './field-index-range.sql.ts';
import type { Candidate, Candidates, Position, Walk } from './list-request.sql.ts';
import { firstOf } from './record-walk.sql.ts';

const STRETCH_ENTRIES = 20_000;

interface ValueWalkOptions {
  readonly grant: Grant;
  readonly engine: Engine;
  readonly condition: IndexedCondition;
  readonly descending: boolean;
  readonly now: boolean;
  readonly stretchEntries?: number;
}

interface StretchRow {
  readonly ids: string;
  readonly looked_at: number;
  readonly last_value: Uint8Array | null;
  readonly last_id: number | null;
}

type Entry = readonly [value: Uint8Array, recordId: number];

interface Stretch {
  readonly start: Entry;
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
  // A record may appear several times, once per period of a value.
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

class FirstIds {
  readonly limit: number;
  ids: number[] = [];
  isCut = false;
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

/** `$1` is the id to continue after and `$2` the limit. The common values and those of each stream follow. */
interface StreamStatements {
  readonly ascending: BulkStatement;
  readonly descending: BulkStatement;
}

interface StreamWalkOptions {
  readonly statements: StreamStatements;
  readonly common: readonly Value[];
  readonly streams: readonly (readonly Value[])[];
  readonly descending: boolean;
}

export class StreamWalk implements Walk {
  readonly #options: StreamWalkOptions;

  constructor(options: StreamWalkOptions) {
    this.#options = options;
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const { statements, common, streams, descending } = this.#options;
    const start = Number(after?.[0] ?? (descending ? Number.MAX_SAFE_INTEGER : -1));
    const rows = await reader.bulk<{ record_id: number }>(descending ? statements.descending : statements.ascending, {
      common: [start, limit, ...common],
      rows: streams,
    });
    const found = rows.map(({ record_id }): Candidate => ({ recordId: record_id, position: [record_id] }));
    const { done, found: first } = firstOf(found, { limit, descending });
    return { found: first.filter(({ recordId }, index) => first[index - 1]?.recordId !== recordId), done };
  }
}

const stream = (sql: (beyond: string, direction: string) => BulkStatement): StreamStatements => ({
  ascending: sql('>', 'asc'),
  descending: sql('<', 'desc'),
});

const about = (target: { repo: string; record: string; version: string }, beyond: string, direction: string) =>
  `select record_id from ref where target_repo_id = ${target.repo} and target_id = ${target.record} and role = 'about'
    and repo_id = $3 and record_id ${beyond} $1 and (${target.version} = 0 or target_version = ${target.version})
    order by record_id ${direction} limit $2`;

/** Version 0 matches any version of a target. */
export const ABOUT_STREAMS = stream((beyond, direction) => {
  const set = (repo: string) => `select k.ord::int as ord, f.record_id
    from unnest($4::bigint[], $5::bigint[], $6::bigint[]) with ordinality as k (repo_id, record_id, version, ord)
    cross join lateral (${about({ repo, record: 'k.record_id', version: 'k.version' }, beyond, direction)}) as f`;
  return {
    each: about({ repo: '$4', record: '$5', version: '$6' }, beyond, direction),
    set: set('k.repo_id'),
    shard: { column: 0, set: set('$7') },
  };
});

interface ValueStream {
  readonly value: string;
  readonly beyond: string;
  readonly direction: string;
  readonly by?: string;
}

const valued = (open: boolean, { value, beyond, direction, by = '' }: ValueStream) =>
  `select record_id from field_index ${by} where repo_id = $3 and shape_id = $4 and field_id = $5 and value = ${value}
    and record_id ${beyond} $1 ${open ? 'and to_seq is null' : ''} order by record_id ${direction} limit $2`;

const valueStreams = (open: boolean) =>
  stream((beyond, direction) => ({
    each: valued(open, { value: '$6', beyond, direction, by: open ? 'indexed by field_index_open' : '' }),
    set: `select k.ord::int as ord, i.record_id from unnest($6::bytea[]) with ordinality as k (value, ord)
      cross join lateral (${valued(open, { value: 'k.value', beyond, direction })}) as i`,
  }));

export const VALUE_STREAMS_NOW = valueStreams(true);
export const VALUE_STREAMS_EVER = valueStreams(false);
