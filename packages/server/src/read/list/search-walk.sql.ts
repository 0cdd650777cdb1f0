// Goes through what a search finds: records with all words in their name first, and within that the newest first. Words
// are looked up in the index of now, whatever sequence the records are read at.
import type { Grant } from '../../access/grant.rule.ts';
import type { Database, Reader } from '../../engine/database.ts';
import { tooLong } from '../../engine/read-bounds.ts';
import { findDocuments, type SearchLevel } from '../../search/search.sql.ts';
import type { SearchWord } from '../../search/search-text.rule.ts';
import type { Candidate, Candidates, Position, Walk } from './list-request.sql.ts';

interface SearchOptions {
  readonly database: Database;
  readonly grant: Grant;
  readonly words: readonly SearchWord[];
}

const BEST: readonly SearchLevel[] = ['name', 'text'];
const DOCUMENTS_A_STEP = 2_000;
const FOUND_MAX = 200_000;

/** The position is the place in `BEST`, and the record's id, turned round because the highest comes first. */
export class SearchWalk implements Walk {
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async next(_reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const { database, grant, words } = this.#options;
    const found: Candidate[] = [];
    let [place, before] = after === undefined ? [0, undefined] : [Number(after[0]), -Number(after[1])];
    for (; place < BEST.length; place++, before = undefined) {
      const level = BEST[place] ?? 'any';
      const search = { repoId: grant.repoId, words, level, before, limit: limit - found.length };
      const ids = await findDocuments(database, search);
      const rank = place;
      found.push(...ids.map((recordId) => ({ recordId, position: [rank, -recordId] })));
      if (found.length >= limit) return { found, done: false };
    }
    return { found, done: true };
  }
}

/** All that is found, to be sorted in another order. */
export async function gatherFound({ database, grant, words }: SearchOptions): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const search = {
      repoId: grant.repoId,
      words,
      level: 'any' as const,
      before: found.at(-1),
      limit: DOCUMENTS_A_STEP,
    };
    const ids = await findDocuments(database, search);
    found.push(...ids);
    if (ids.length < DOCUMENTS_A_STEP) return found;
    if (found.length > FOUND_MAX)
      throw tooLong('Too many records hold these words. Ask without order, or for more words.');
  }
}

/** A walk that leaves out what is not among some records. */
export class WalkAmong implements Walk {
  readonly #walk: Walk;
  readonly #recordIds: ReadonlySet<number>;

  constructor(walk: Walk, recordIds: readonly number[]) {
    this.#walk = walk;
    this.#recordIds = new Set(recordIds);
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    let from = after;
    for (;;) {
      const { found, done } = await this.#walk.next(reader, from, limit);
      const among = found.filter(({ recordId }) => this.#recordIds.has(recordId));
      if (done || among.length > 0) return { found: among, done };
      from = found.at(-1)?.position;
    }
  }
}
