// What a record must be to stand in a list, as one statement over the ids of candidates. All of it is SQL, so that what is
// left out is never counted, nor cut a page short.

import type { Grant } from '../../access/grant.rule.ts';
import type { NarrowingEntry } from '../../access/narrowing.rule.ts';
import type { AddParameter, BulkStatement, Dialect, Value } from '../../engine/database.ts';
import { SHAPE_LATERAL, VERSION_AT } from '../record-item.sql.ts';
import { nameAt } from '../target-name.sql.ts';
import { fieldConditionSql, hasPointerSql } from './field-condition.rule.ts';
import type { RecordFilter } from './list-request.sql.ts';
import { admits, type ShapeSight } from './shape-sight.sql.ts';

export interface FilteredRow {
  readonly record_id: number;
  readonly updated_seq: number;
  /** What its version holds. */
  readonly bytes: number;
  /** Its full name at the sequence, where the statement was asked for it. */
  readonly name: string | null;
  /** Whether it has a pointer in a field that it was asked for. */
  readonly pointed: number;
}

interface FilterOptions {
  readonly filter: RecordFilter;
  /** Fields in which a pointer lets a record through, to be looked at again. */
  readonly pointers: readonly string[];
  readonly shapes: readonly ShapeSight[];
  readonly dialect: Dialect;
  /** Whether the rows are to tell names. */
  readonly named: boolean;
}

const BYTES = 'octet_length(v.data) + coalesce(octet_length(v.refs), 0)';

const joined = (shape: string, local: string) =>
  `case when ${shape} is null then ${local} else ${shape} || '/' || ${local} end`;

const ANSWERED = 'record_id, updated_seq, bytes, name, pointed';

const knownByIds = new Map<string, BulkStatement>();
const KNOWN_MAX = 500;

/** The condition in its parts; `$1` is the repository and `$2` the sequence. */
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
      needsNames ? `${joined(nameAt('s', '$2'), nameAt('r', '$2'))} as name` : 'null as name',
      ...(outer.length > 0 ? [`${joined('s.name', 'r.name')} as name_now`] : []),
    ].join(', ');
    this.#needsShape = needsNames;
    this.#where = inner.length === 0 ? '' : `and ${inner.join(' and ')}`;
    this.#kept = outer.length === 0 ? '' : `where ${outer.join(' and ')}`;
  }

  /** The place of a parameter after those in `common`. */
  place(offset: number): string {
    return `$${this.common.length + 1 + offset}`;
  }

  /** For candidates by their ids. The same text again for the same condition: who runs it knows it by its text. */
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

  /** For all rows of a query that gives rows of `record`, which may stand in it once. */
  over(records: string): string {
    return `select ${ANSWERED} from (select ${this.#columns} from ${records} as r ${this.#joins(this.engine)}
      where true ${this.#where}) as found ${this.#kept}`;
  }

  /** On PostgreSQL each is a look-up of its own: see commit/statement.ts. */
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
  // Which shapes are shown themselves is known before.
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
