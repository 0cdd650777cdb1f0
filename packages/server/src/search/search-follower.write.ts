// Which repositories the search index has to follow next. A process knows those that it has committed to, so that they
// cost no look at the others. Now and then it looks at all, for what was left over: by a crash, by another process that
// has ended, or by an index that was lost.

import { systemGrant } from '../access/grant.rule.ts';
import type { Transaction, WritableDatabase } from '../engine/database.ts';
import { followRepository } from './search-follow.sql.ts';

const LOOK_EVERY_MS = 1_000;
/** A look compares the sequences of all repositories, and may take a twentieth of the time at most. */
const LOOK_SHARE = 20;
/** A look that waited for a database that hung says nothing about what the next one costs. */
const LOOK_PAUSE_MS_MAX = 5_000;
const FOUND_MAX = 1_000;

const BEHIND = `select s.repo_id from repo_sequence s left join search_state i on i.repo_id = s.repo_id
  where s.repo_seq <> coalesce(i.indexed_seq, 0) limit ${FOUND_MAX}`;
const REMOVED = `select i.repo_id from search_state i left join repo_sequence s on s.repo_id = i.repo_id
  where s.repo_id is null limit ${FOUND_MAX}`;

/** The repositories that were committed to since the last request. */
export type FollowRequest = readonly number[];

export class SearchFollower {
  readonly #database: WritableDatabase;
  readonly #waiting = new Set<number>();
  #nextLook = 0;

  constructor(database: WritableDatabase) {
    this.#database = database;
  }

  /** Takes one step, of a repository that is behind; answers whether there is more to do. */
  async step(committedTo: FollowRequest): Promise<boolean> {
    for (const repoId of committedTo) this.#waiting.add(repoId);
    if (this.#waiting.size === 0 && performance.now() >= this.#nextLook) await this.#look();
    const [repoId] = this.#waiting;
    if (repoId === undefined) return false;
    // One that fails is found again by the next look, and does not hold up the others; one that takes long comes last.
    this.#waiting.delete(repoId);
    const grant = systemGrant(repoId, 'search index');
    const caughtUp = await this.#database.transaction((tx) => followRepository(tx, grant));
    if (!caughtUp) this.#waiting.add(repoId);
    return true;
  }

  async #look(): Promise<void> {
    const start = performance.now();
    const found = await this.#database.transaction(findBehind);
    for (const repoId of found) this.#waiting.add(repoId);
    const tookMs = performance.now() - start;
    const pauseMs =
      found.length < FOUND_MAX ? Math.min(LOOK_PAUSE_MS_MAX, Math.max(LOOK_EVERY_MS, LOOK_SHARE * tookMs)) : 0;
    this.#nextLook = start + pauseMs;
  }
}

async function findBehind(tx: Transaction): Promise<number[]> {
  const behind = await tx.query<{ repo_id: number }>(BEHIND);
  const removed = await tx.query<{ repo_id: number }>(REMOVED);
  return [...behind, ...removed].map(({ repo_id }) => repo_id);
}
