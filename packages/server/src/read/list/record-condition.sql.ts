// The condition for records in a list, all in SQL, so that hidden records neither count nor shorten a page.
import type { Grant } from '../../access/grant.rule.ts';
import type { NarrowingEntry } from '../../access/narrowing.rule.ts';
import type { AddParameter, BulkStatement, Dialect, Reader, Value } from '../../engine/database.ts';
import { SHAPE_LATERAL, VERSION_AT } from '../record-item.sql.ts';
import { nameAt } from '../target-name.sql.ts';
import { admits, type ListedRow, type ShapeSight } from './candidate-filter.sql.ts';
import { fieldConditionSql, hasPointerSql } from './field-index-range.sql.ts';
import type { Position, RecordFilter } from './list-request.sql.ts';

export interface FilteredRow {
  readonly record_id: number;
  readonly updated_seq: number;
  readonly bytes: number;
  readonly name: string | null;
  readonly pointed: number;
}

interface FilterOptions {
  readonly filter: RecordFilter;
  readonly pointers: readonly string[];
  readonly shapes: readonly ShapeSight[];
  readonly dialect: Dialect;
  readonly named: boolean;
}

const BYTES = 'octet_length(v.data) + coalesce(octet_length(v.refs), 0)';

const joinedName = (shape: string, local: string) =>
  `case when ${shape} is null then ${local} else ${shape} || '/' || ${local} end`;

const ANSWERED = 'record_id, updated_seq, bytes, name, pointed';

const knownByIds = new Map<string, BulkStatement>();
const KNOWN_MAX = 500;

export class RecordCondition {
  readonly common: readonly Value[];
  readonly engine: Dialect['engine'];
  readonly #columns: string;
  readonly #needsShape: boolean;
  readonly #where: string;
  readonly #kept: string;

  constructor(grant: Grant, options: FilterOptions) {
    const { filter, named, dialect } = options;
    const common: Value[] = [grant.repoId, filter.atRepoSeq];
    const add: AddParameter = (value) => `$${common.push(value as Value)}`;
    const inner = recordConditions(options, add);
    const outer = nameConditions(grant, options, add);
    const needsNames = named || outer.length > 0;
    this.common = common;
    this.engine = dialect.engine;
    this.#columns = [
      `r.record_id, r.shape_id, v.from_seq as updated_seq, ${BYTES} as bytes`,
      pointedColumn(options, add),
      needsNames ? `${joinedName(nameAt('s', '$2'), nameAt('r', '$2'))} as name` : 'null as name',
      ...(outer.length > 0 ? [`${joinedName('s.name', 'r.name')} as name_now`] : []),
    ].join(', ');
    this.#needsShape = needsNames;
    this.#where = inner.length === 0 ? '' : `and ${inner.join(' and ')}`;
    this.#kept = outer.length === 0 ? '' : `where ${outer.join(' and ')}`;
  }

  place(offset: number): string {
    return `$${this.common.length + 1 + offset}`;
  }

  /** The same condition gives the same text again, because the database caches statements by text. */
  get byIds(): BulkStatement {
    const key = `${this.#columns}\n${this.#where}\n${this.#kept}`;
    const known = knownByIds.get(key);
    if (known !== undefined) return known;
    if (knownByIds.size >= KNOWN_MAX) knownByIds.clear();
    const made = this.#composeByIds();
    knownByIds.set(key, made);
    return made;
  }

  #composeByIds(): BulkStatement {
    const ids = this.place(0);
    const onSqlite = (from: string, ord: string) => `select ${ord}${ANSWERED} from (select ${ord}${this.#columns}
      from ${from} ${this.#joins('sqlite')} where true ${this.#where}) as found ${this.#kept}`;
    return {
      each: onSqlite(`(select * from record where repo_id = $1 and record_id = ${ids}) as r`, ''),
      many: onSqlite(
        `(select k.key as ord, r.* from json_each(${ids}) as k cross join record r on r.repo_id = $1 and r.record_id = k.value) as r`,
        'ord, ',
      ),
      set: `select ord, ${ANSWERED} from (select k.ord::int as ord, ${this.#columns}
        from unnest(${ids}::bigint[]) with ordinality as k (record_id, ord)
        cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
        ${this.#joins('postgres')} where true ${this.#where}) as found ${this.#kept}`,
    };
  }

  over(records: string): string {
    return `select ${ANSWERED} from (select ${this.#columns} from ${records} as r ${this.#joins(this.engine)}
      where true ${this.#where}) as found ${this.#kept}`;
  }

  /** On PostgreSQL each is a separate lookup: see commit/statement.sql.ts. */
  #joins(engine: Dialect['engine']): string {
    const onSqlite = engine === 'sqlite';
    const version = onSqlite ? `join version v on ${JOINED_VERSION}` : LATERAL_VERSION;
    if (!this.#needsShape) return version;
    const shape = onSqlite ? 'left join record s on s.repo_id = $1 and s.record_id = r.shape_id' : SHAPE_LATERAL;
    return `${version} ${shape}`;
  }
}

const JOINED_VERSION = `v.repo_id = $1 and v.record_id = r.record_id and ${VERSION_AT}`;
const LATERAL_VERSION = `cross join lateral (select * from version v where ${JOINED_VERSION} limit 1) as v`;

function pointedColumn({ pointers, dialect }: FilterOptions, add: AddParameter): string {
  const pointed = pointers.map((pointer) => hasPointerSql(pointer, { data: dialect.data, add }));
  return pointed.length === 0 ? '0 as pointed' : `case when ${pointed.join(' or ')} then 1 else 0 end as pointed`;
}

function recordConditions({ filter, pointers, dialect }: FilterOptions, add: AddParameter): string[] {
  const { includeRetracted, kind, shape, where } = filter;
  const spelling = { data: dialect.data, add };
  const conditions = where.map((condition) => {
    const sql = fieldConditionSql(condition, spelling);
    return pointers.includes(condition.pointer) ? `(${sql} or ${hasPointerSql(condition.pointer, spelling)})` : sql;
  });
  return [
    ...(includeRetracted ? [] : ['v.active = 1']),
    ...(kind === undefined ? [] : [`r.kind = ${add(kind)}`]),
    ...(shape === undefined ? [] : [`r.shape_id = ${add(shape.shapeId)}`]),
    ...conditions,
  ];
}

function nameConditions(grant: Grant, { filter, dialect, shapes }: FilterOptions, add: AddParameter): string[] {
  const { match } = filter;
  const matched = match === undefined ? [] : [dialect.data.matchesGlob('name', match, add)];
  const narrowing = grant.narrowing ?? [];
  const shown = narrowing.flatMap((entries) =>
    (['name', 'nameNow'] as const).map((which) => levelSql(entries, { which, shapes, dialect, add })),
  );
  if (shown.length === 0) return matched;
  const listed = shapes.filter((shape) => shape.shown).map(({ shapeId }) => shapeId);
  const isListed = dialect.data.isOneOf('record_id', listed, add);
  return [...matched, `case when shape_id = 0 then ${isListed} else ${shown.join(' and ')} end`];
}

interface LevelOptions {
  readonly which: 'name' | 'nameNow';
  readonly shapes: readonly ShapeSight[];
  readonly dialect: Dialect;
  readonly add: AddParameter;
}

function levelSql(entries: readonly NarrowingEntry[], options: LevelOptions): string {
  return `(${entries.map((entry) => entrySql(entry, options)).join(' or ') || 'false'})`;
}

function entrySql(entry: NarrowingEntry, { which, shapes, dialect, add }: LevelOptions): string {
  const column = which === 'name' ? 'name' : 'name_now';
  const ofShape = () => {
    const ids = shapes.filter(({ shapeId, ...names }) => admits(entry, { shapeId, shapeName: names[which] }));
    return dialect.data.isOneOf(
      'shape_id',
      ids.map(({ shapeId }) => shapeId),
      add,
    );
  };
  const globs = () => entry.refs?.map((glob) => dialect.data.matchesGlob(column, glob, add)).join(' or ') || 'false';
  const parts = [
    ...(entry.shapes === undefined ? [] : [ofShape()]),
    ...(entry.refs === undefined ? [] : [`(${globs()})`]),
  ];
  return parts.length === 0 ? 'true' : `(${parts.join(' and ')})`;
}

export interface ScanScope {
  /** `undefined` scans all records of the repository. */
  readonly shapeId: number | undefined;
  readonly descending: boolean;
  readonly lastId: number;
}

interface Step {
  readonly after: Position | undefined;
  readonly limit: number;
}

interface ScannedRow extends FilteredRow {
  /** Set in the one row that reports the progress; its id is the last one scanned. */
  readonly looked_at: number | null;
}

interface CountRow {
  readonly looked_at: number;
  readonly last: number | null;
  readonly count: number;
}

export class RangeScan {
  readonly #condition: RecordCondition;
  readonly #scope: ScanScope;
  readonly #candidates: string;

  constructor(condition: RecordCondition, scope: ScanScope) {
    const [beyond, direction] = scope.descending ? ['<', 'desc'] : ['>', 'asc'];
    const ofShape = scope.shapeId === undefined ? '' : `and shape_id = ${condition.place(3)} and active = 1`;
    this.#condition = condition;
    this.#scope = scope;
    const by = scope.shapeId !== undefined && condition.engine === 'sqlite' ? 'indexed by record_by_shape' : '';
    this.#candidates = `select * from record ${by} where repo_id = $1 and record_id ${beyond} ${condition.place(0)}
      and record_id <= ${condition.place(2)} ${ofShape} order by record_id ${direction} limit ${condition.place(1)}`;
  }

  async next(reader: Reader, step: Step): Promise<{ rows: ListedRow[]; after: Position | undefined; done: boolean }> {
    const rows = await reader.query<ScannedRow>(
      `with looked as materialized (${this.#candidates})
       select record_id, updated_seq, bytes, name, pointed, null as looked_at from (${this.#condition.over('looked')}) as kept
       union all select ${this.#last}, 0, 0, null, 0, count(*) from looked order by looked_at`,
      this.#parameters(step),
    );
    const end = rows.find(({ looked_at }) => looked_at !== null);
    const kept = rows
      .filter(({ looked_at }) => looked_at === null)
      .map(({ record_id, bytes, pointed }) => ({
        recordId: record_id,
        position: [record_id],
        bytes,
        pointed: pointed === 1,
      }));
    const sign = this.#scope.descending ? -1 : 1;
    kept.sort((a, b) => sign * (a.recordId - b.recordId));
    const done = Number(end?.looked_at ?? 0) < step.limit;
    return { rows: kept, after: done ? undefined : [end?.record_id ?? 0], done };
  }

  async count(reader: Reader, step: Step): Promise<{ count: number; after: Position | undefined; done: boolean }> {
    const [row] = await reader.query<CountRow>(
      `with looked as materialized (${this.#candidates})
       select (select count(*) from looked) as looked_at, (select ${this.#last} from looked) as last,
         (select count(*) from (${this.#condition.over('looked')}) as kept) as count`,
      this.#parameters(step),
    );
    const done = (row?.looked_at ?? 0) < step.limit;
    return { count: row?.count ?? 0, after: done ? undefined : [row?.last ?? 0], done };
  }

  get #last(): string {
    return this.#scope.descending ? 'min(record_id)' : 'max(record_id)';
  }

  #parameters({ after, limit }: Step): Value[] {
    const { shapeId, descending, lastId } = this.#scope;
    const start = Number(after?.[0] ?? (descending ? Number.MAX_SAFE_INTEGER : -1));
    return [...this.#condition.common, start, limit, lastId, ...(shapeId === undefined ? [] : [shapeId])];
  }
}
