// Reads on through all records in the order of their creation, for conditions that no index helps with: one statement a step
// that answers what fulfils them, and where the step ended.
import type { Reader, Value } from '../../engine/database.ts';
import type { ListedRow } from './candidate-filter.sql.ts';
import type { Position } from './list-request.sql.ts';
import type { FilteredRow, RecordCondition } from './record-condition.sql.ts';

export interface ScanScope {
  /** Of one shape, what is active now; else all records of the repository. */
  readonly shapeId: number | undefined;
  readonly descending: boolean;
  /** The last record that was there at the sequence read. */
  readonly lastId: number;
}

interface Step {
  readonly after: Position | undefined;
  readonly limit: number;
}

interface ScannedRow extends FilteredRow {
  /** Set in the one row that tells how many were looked at; its id is that of the last of them. */
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
