// One level of a graph: of the records that are offered, those that were made first and may be shown, as many as there is
// room for. What comes after the last of them need not be looked at, however much it is.

import type { Reader } from '../engine/database.ts';
import { type LongRead, STEP_ROWS } from '../engine/long-read.ts';
import { REFERENCE_ROLES } from '../model/reference-role.ts';
import { findSights, type SightRow, type Source } from '../read/record-sight.sql.ts';
import { BEGINNING, isTrueAt, readStretches, type Stretch } from './reference-stretch.sql.ts';

const STRETCHES_A_STEP = 500;
const RECORDS_A_STEP = 500;

interface LevelRequest {
  readonly source: Source;
  readonly isNode: (recordId: number) => boolean;
  readonly limit: number;
  readonly longRead: LongRead;
}

const byRecord = (a: SightRow, b: SightRow) => a.record_id - b.record_id;

export class GraphLevel {
  readonly #reader: Reader;
  readonly #request: LevelRequest;
  readonly #looked = new Set<number>();
  /** The first ones, in the order in which they were made. */
  #found: SightRow[] = [];

  constructor(reader: Reader, request: LevelRequest) {
    this.#reader = reader;
    this.#request = request;
  }

  found(): SightRow[] {
    return this.#found;
  }

  /** Whether a record would have a place among the first ones. */
  #hasRoomFor(recordId: number): boolean {
    const last = this.#found[this.#request.limit - 1];
    return last === undefined || recordId < last.record_id;
  }

  async offer(recordIds: readonly number[], { includeRetracted = false } = {}): Promise<void> {
    const { source, isNode, limit, longRead } = this.#request;
    const fresh = new Set(recordIds.filter((id) => !isNode(id) && !this.#looked.has(id)));
    const ids = [...fresh].sort((a, b) => a - b);
    for (let at = 0; at < ids.length; at += RECORDS_A_STEP) {
      const step = ids.slice(at, at + RECORDS_A_STEP).filter((id) => this.#hasRoomFor(id));
      if (step.length === 0) return;
      for (const id of step) this.#looked.add(id);
      const sights = await findSights(
        this.#reader,
        step.map((recordId) => ({ source, recordId })),
      );
      const shown = sights
        .filter((sight) => sight !== undefined)
        .filter(({ active }) => includeRetracted || active === 1);
      this.#found = [...this.#found, ...shown].sort(byRecord).slice(0, limit);
      await longRead.turn();
    }
  }

  /** What refers to the records. Stretches that have gone beyond the last place are given up. */
  async offerReferring(recordIds: readonly number[]): Promise<void> {
    const { source, longRead } = this.#request;
    const { repoId } = source.grant;
    let open = recordIds.flatMap((recordId) =>
      REFERENCE_ROLES.map((role): Stretch => ({ target: { repoId, recordId }, role, repoId, after: BEGINNING })),
    );
    while (open.length > 0) {
      const step = open.slice(0, STRETCHES_A_STEP);
      const parts = await readStretches(this.#reader, step, Math.floor(STEP_ROWS / step.length));
      const rows = parts.flatMap((part) => part.rows).filter((row) => isTrueAt(row, source.atRepoSeq));
      await this.offer(rows.map(({ record_id }) => record_id));
      const rest = parts.flatMap((part) => part.rest ?? []);
      open = [...open.slice(step.length), ...rest].filter(({ after }) => this.#hasRoomFor(after.recordId));
      await longRead.turn();
    }
  }
}
