// Goes through records in the order of their last change as it was at a sequence that has passed: commit by commit. What
// a commit changed and a later one changed again stands with the later one; who reads on compares the sequences.
import type { Grant } from '../../access/grant.rule.ts';
import type { CommitEntry } from '../../commit/chain.rule.ts';
import type { Reader } from '../../engine/database.ts';
import type { Candidate, Candidates, Position, Walk } from './list-request.sql.ts';
import { firstOf } from './record-walk.sql.ts';

export interface CommitWalkOptions {
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

  /** The next commits, as many as hold what is wanted. */
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
