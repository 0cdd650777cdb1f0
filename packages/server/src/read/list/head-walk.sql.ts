// The shortest way through a list as it is now. It holds as long as nobody writes: a commit that came after the caller's
// sequence was noted may have moved a record to another place, and then the way through the past is taken.

import type { Grant } from '../../access/grant.rule.ts';
import type { Reader } from '../../engine/database.ts';
import type { Candidates, Position, Walk } from './list-request.sql.ts';

interface Ways {
  readonly now: Walk;
  readonly ever: Walk;
}

export class HeadWalk implements Walk {
  readonly #database: Reader;
  readonly #grant: Grant;
  readonly #ways: Ways;
  #moved = false;

  /** Whoever reads the list, the database itself says where the repository stands: one round trip to another thread less. */
  constructor(database: Reader, grant: Grant, ways: Ways) {
    this.#database = database;
    this.#grant = grant;
    this.#ways = ways;
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    if (!this.#moved) {
      const found = await this.#ways.now.next(reader, after, limit);
      if (await isStillHead(this.#database, this.#grant)) return found;
      this.#moved = true;
    }
    return await this.#ways.ever.next(reader, after, limit);
  }
}

/** Asked after reading: what is so then was so before. */
export async function isStillHead(reader: Reader, { repoId, repository }: Grant): Promise<boolean> {
  const [row] = await reader.query<{ repo_seq: number }>('select repo_seq from repo_sequence where repo_id = $1', [
    repoId,
  ]);
  return row?.repo_seq === repository.repoSeq;
}
