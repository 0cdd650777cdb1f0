// Checks candidates against the filter of a list: first in SQL, then in code for pointers to hidden records.

import { couldNameRecordOf } from '@cairn/model/glob';
import { valueAt } from '@cairn/model/json';
import { parseReferences } from '@cairn/model/wref';
import type { Grant } from '../../access/grant.rule.ts';
import { type Called, compileNarrowing, type NarrowingEntry } from '../../access/narrowing.rule.ts';
import type { BulkStatement, Dialect, Reader } from '../../engine/database.ts';
import { findHiddenTargets, type HiddenTargets, type Pointer } from '../hidden-target.sql.ts';
import { VERSION_AT } from '../record-item.sql.ts';
import { nameAt } from '../target-name.sql.ts';
import {
  type Candidate,
  comparePositions,
  type FieldCondition,
  type ListOrder,
  type PointedRecord,
  type Position,
  type RecordFilter,
} from './list-request.sql.ts';
import { type FilteredRow, RecordCondition } from './record-condition.sql.ts';
import { positionOf } from './record-walk.sql.ts';

export interface ListedRow {
  readonly recordId: number;
  readonly position: Position;
  readonly bytes: number;
  readonly pointed: boolean;
}

interface FilterOptions {
  readonly filter: RecordFilter;
  readonly order: ListOrder;
  readonly shapes: readonly ShapeSight[];
  readonly dialect: Dialect;
}

type PossibleCandidate = Omit<Candidate, 'position'> & { readonly position: Position | undefined };

export class CandidateFilter {
  readonly condition: RecordCondition;
  readonly #order: ListOrder;
  readonly #pointers: PointerCheck;

  constructor(grant: Grant, { filter, order, shapes, dialect }: FilterOptions) {
    this.#order = order;
    this.#pointers = new PointerCheck(grant, filter);
    const { pointers } = this.#pointers;
    this.condition = new RecordCondition(grant, { filter, pointers, shapes, dialect, named: order === 'name' });
  }

  get isAllSql(): boolean {
    return this.#pointers.pointers.length === 0;
  }

  async keep(reader: Reader, candidates: readonly PossibleCandidate[]): Promise<ListedRow[]> {
    const { byIds, common } = this.condition;
    const found = await reader.bulk<FilteredRow>(byIds, {
      common,
      rows: candidates.map(({ recordId }) => [recordId]),
    });
    found.sort((a, b) => a.ord - b.ord);
    const rows: ListedRow[] = [];
    for (const row of found) {
      const expected = candidates[row.ord]?.position;
      const position = this.#positionOf(row) ?? expected ?? [];
      if (expected !== undefined && comparePositions(expected, position) !== 0) continue;
      rows.push({ recordId: row.record_id, position, bytes: row.bytes, pointed: row.pointed === 1 });
    }
    return await this.keepPointing(reader, rows);
  }

  async keepPointing(reader: Reader, rows: readonly ListedRow[]): Promise<ListedRow[]> {
    return await this.#pointers.keep(reader, rows);
  }

  /** `undefined` where only the search knows the position. */
  #positionOf(row: FilteredRow): Position | undefined {
    if (this.#order === 'best') return undefined;
    return this.#order === 'name' ? [row.name ?? ''] : positionOf(this.#order, row);
  }
}

interface ContentRow {
  readonly data: string;
  readonly refs: string | null;
}

const FIND_CONTENT: BulkStatement = {
  each: `select v.data, v.refs from record r
    join version v on v.repo_id = $1 and v.record_id = r.record_id and ${VERSION_AT}
    where r.repo_id = $1 and r.record_id = $3`,
  set: `select k.ord::int as ord, v.data, v.refs from unnest($3::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
    cross join lateral (select * from version v where v.repo_id = $1 and v.record_id = r.record_id
      and ${VERSION_AT} limit 1) as v`,
};

type PointerCondition = Extract<FieldCondition, { type: 'wref' | 'any' }>;

const isOfPointers = (condition: FieldCondition): condition is PointerCondition =>
  condition.type === 'wref' || condition.type === 'any';

/**
 * For a limited view, a pointer to a hidden record counts as null. The check needs the target's names, so it covers
 * only rows that pass the SQL condition.
 */
class PointerCheck {
  readonly #grant: Grant;
  readonly #filter: RecordFilter;
  readonly #conditions: readonly PointerCondition[];

  constructor(grant: Grant, filter: RecordFilter) {
    const hides = grant.narrowing !== undefined || filter.follow !== undefined;
    this.#grant = grant;
    this.#filter = filter;
    this.#conditions = hides ? filter.where.filter(isOfPointers) : [];
  }

  get pointers(): readonly string[] {
    return this.#conditions.map(({ pointer }) => pointer);
  }

  async keep<Kept extends PossiblyPointing>(reader: Reader, rows: readonly Kept[]): Promise<Kept[]> {
    const pointing = rows.filter(({ pointed }) => pointed);
    if (pointing.length === 0) return [...rows];
    const { atRepoSeq, follow } = this.#filter;
    const contents = await reader.bulk<ContentRow>(FIND_CONTENT, {
      common: [this.#grant.repoId, atRepoSeq],
      rows: pointing.map(({ recordId }) => [recordId]),
    });
    const values = new Map(contents.map(({ ord, ...content }) => [pointing[ord]?.recordId, this.#valuesIn(content)]));
    const targets = [...values.values()].flatMap((some) => some.flatMap(({ target }) => target ?? []));
    const hidden = await findHiddenTargets(reader, this.#grant, { targets, atRepoSeq, follow });
    return rows.filter(({ recordId, pointed }) => !pointed || this.#holds(values.get(recordId) ?? [], hidden));
  }

  #valuesIn({ data, refs }: ContentRow): FieldValue[] {
    const parsed: unknown = JSON.parse(data);
    const references = parseReferences(refs);
    return this.#conditions.map(({ pointer }) => {
      const value = valueAt(parsed, pointer) ?? null;
      const reference = references.find(({ path }) => path === pointer);
      return { value, target: reference && { ...reference, wref: String(value) } };
    });
  }

  #holds(values: readonly FieldValue[], hidden: HiddenTargets): boolean {
    return this.#conditions.every((condition, index) => {
      const { value, target } = values[index] ?? { value: null, target: undefined };
      const isHidden = target !== undefined && hidden.has(target);
      return fulfils(condition, isHidden ? { value: null, target: undefined } : { value, target });
    });
  }
}

interface PossiblyPointing {
  readonly recordId: number;
  readonly pointed: boolean;
}

type PlacedPointer = Pointer & { readonly version: number };

interface FieldValue {
  readonly value: unknown;
  readonly target: PlacedPointer | undefined;
}

function fulfils(condition: PointerCondition, { value, target }: FieldValue): boolean {
  if (condition.op === 'exists') return (value !== null) === (condition.exists ?? true);
  const equal = target !== undefined && pointedBy(condition).some((meant) => isMeant(meant, target));
  return condition.op === 'ne' ? !equal : equal;
}

const pointedBy = (condition: PointerCondition) => (condition.type === 'wref' ? condition.values : []);

function isMeant({ repoId, recordId, version }: PointedRecord, pointer: PlacedPointer): boolean {
  return repoId === pointer.repoId && recordId === pointer.recordId && (version ?? pointer.version) === pointer.version;
}

export interface ShapeSight {
  readonly shapeId: number;
  readonly name: string;
  readonly nameNow: string;
  readonly shown: boolean;
  readonly records: 'all' | 'some' | 'none';
}

interface ShapeRow {
  readonly record_id: number;
  readonly name: string;
  readonly name_now: string;
}

const shapes = (active: string, by = '') => `select r.record_id, r.name as name_now, ${nameAt('r', '$2')} as name
  from record r ${by} where r.repo_id = $1 and r.shape_id = 0 and r.active = ${active} and r.created_seq <= $2`;

const FIND_SHAPES: BulkStatement = {
  // Without the hint, SQLite may scan all records of the repository.
  each: shapes('$3', 'indexed by record_by_shape'),
  set: `select k.ord::int as ord, r.* from unnest($3::bigint[]) with ordinality as k (active, ord)
    cross join lateral (${shapes('k.active')}) as r`,
};

export async function findShapeSights(reader: Reader, grant: Grant, atRepoSeq: number): Promise<ShapeSight[]> {
  const rows = await reader.bulk<ShapeRow>(FIND_SHAPES, { common: [grant.repoId, atRepoSeq], rows: [[1], [0]] });
  const isShown = compileNarrowing(grant.narrowing);
  return rows.map(({ record_id: shapeId, name, name_now: nameNow }) => {
    const called = [name, nameNow].map((each): Called => ({ name: each, shapeName: each }));
    return {
      shapeId,
      name,
      nameNow,
      shown: isShown({ kind: 'shape', shapeId, called }),
      records: recordsShown(grant, { shapeId, names: [name, nameNow] }),
    };
  });
}

function recordsShown(
  { narrowing }: Grant,
  { shapeId, names }: { shapeId: number; names: readonly string[] },
): ShapeSight['records'] {
  const answers = (narrowing ?? []).flatMap((entries) =>
    names.map((shapeName) => letThrough(entries, { shapeId, shapeName })),
  );
  if (answers.includes('none')) return 'none';
  return answers.includes('some') ? 'some' : 'all';
}

function letThrough(
  entries: readonly NarrowingEntry[],
  shape: { shapeId: number; shapeName: string },
): ShapeSight['records'] {
  const admitting = entries.filter((entry) => admits(entry, shape));
  if (admitting.some(({ refs }) => refs === undefined)) return 'all';
  const could = admitting.some(({ refs }) => refs?.some((glob) => couldNameRecordOf(glob, shape.shapeName)));
  return could ? 'some' : 'none';
}

export function admits(
  { shapes }: NarrowingEntry,
  { shapeId, shapeName }: { shapeId: number; shapeName: string },
): boolean {
  if (shapes === undefined) return true;
  return shapes.some((choice) => ('shapeId' in choice ? choice.shapeId === shapeId : choice.shapeName === shapeName));
}
