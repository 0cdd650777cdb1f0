// Holds candidates against the filter of a list: what SQL can say in one statement (record-condition.sql.ts), and then whether
// what they point to is hidden (pointer-check.sql.ts).

import type { Grant } from '../../access/grant.rule.ts';
import type { Dialect, Reader } from '../../engine/database.ts';
import {
  type Candidate,
  comparePositions,
  type ListOrder,
  type Position,
  type RecordFilter,
} from './list-request.sql.ts';
import { PointerCheck } from './pointer-check.sql.ts';
import { type FilteredRow, RecordCondition } from './record-condition.sql.ts';
import { positionOf } from './record-walk.sql.ts';
import type { ShapeSight } from './shape-sight.sql.ts';

export interface ListedRow {
  readonly recordId: number;
  readonly position: Position;
  readonly bytes: number;
  /** Whether what it points to may have to be looked at. */
  readonly pointed: boolean;
}

interface FilterOptions {
  readonly filter: RecordFilter;
  readonly order: ListOrder;
  readonly shapes: readonly ShapeSight[];
  readonly dialect: Dialect;
}

/** Where it stands in the list, unless that is to be found out. */
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

  /** Whether the condition says everything. */
  get isAllSql(): boolean {
    return this.#pointers.pointers.length === 0;
  }

  /** Of the candidates, those that are in the list, in their order. */
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
      // What was changed again later stands at another place.
      if (expected !== undefined && comparePositions(expected, position) !== 0) continue;
      rows.push({ recordId: row.record_id, position, bytes: row.bytes, pointed: row.pointed === 1 });
    }
    return await this.keepPointing(reader, rows);
  }

  /** Of rows that SQL has let through, those that are in the list. */
  async keepPointing(reader: Reader, rows: readonly ListedRow[]): Promise<ListedRow[]> {
    return await this.#pointers.keep(reader, rows);
  }

  /** `undefined` where only the search knows. */
  #positionOf(row: FilteredRow): Position | undefined {
    if (this.#order === 'best') return undefined;
    return this.#order === 'name' ? [row.name ?? ''] : positionOf(this.#order, row);
  }
}
