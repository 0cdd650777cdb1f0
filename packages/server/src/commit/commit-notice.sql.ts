// Tells listeners about commits: in this process at once, in others by a notice. Notices are sent in batches after the
// commit, because inside its transaction they would make all commits wait for each other. They can get lost, so
// listeners also poll the sequences.
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, StopListening } from '../engine/database.ts';

/** A repository and its current sequence. `undefined` means that any repository may have changed. */
export type OnCommit = (commit: CommitNotice | undefined) => void;

export interface CommitNotice {
  readonly repoId: number;
  readonly repoSeq: number;
}

const CHANNEL = 'cairn_commit';
const TOGETHER_MS = 10;
const CLOSE_WITHIN_MS = 1_000;
/** NOTIFY takes 8,000 bytes, and a notice has at most about 30. */
const NOTICES_AT_ONCE_MAX = 200;

export class CommitNotices {
  readonly #database: Database;
  readonly #listeners = new Set<OnCommit>();
  readonly #waiting = new Map<number, number>();
  readonly #sending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  committed(notice: CommitNotice): void {
    this.#tell(notice);
    // On SQLite, other processes notice commits by themselves.
    if (this.#database.engine === 'sqlite') return;
    const { repoId, repoSeq } = notice;
    // Concurrent commits may arrive here out of order.
    this.#waiting.set(repoId, Math.max(repoSeq, this.#waiting.get(repoId) ?? 0));
    this.#timer ??= setTimeout(() => this.#send(), TOGETHER_MS);
  }

  async listen(onCommit: OnCommit): Promise<StopListening> {
    this.#listeners.add(onCommit);
    const stop = await this.#database.listen(CHANNEL, (payload) => this.#receive(payload, onCommit));
    return async () => {
      this.#listeners.delete(onCommit);
      await stop();
    };
  }

  /** Waits for notices under way: nobody would catch the error of a connection that is cut while it opens. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#listeners.clear();
    await Promise.race([Promise.all(this.#sending), pause(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  #tell(notice: CommitNotice): void {
    for (const onCommit of this.#listeners) onCommit(notice);
  }

  #send(): void {
    this.#timer = undefined;
    const all = [...this.#waiting].map(([repoId, repoSeq]) => `${repoId}:${repoSeq}`);
    this.#waiting.clear();
    for (let at = 0; at < all.length; at += NOTICES_AT_ONCE_MAX) {
      const payload = all.slice(at, at + NOTICES_AT_ONCE_MAX).join();
      // If a notice is lost, listeners find the commit with their next poll.
      const sent = this.#database.notify(CHANNEL, payload).catch(() => {});
      this.#sending.add(sent);
      void sent.then(() => this.#sending.delete(sent));
    }
  }

  #receive(payload: string | undefined, onCommit: OnCommit): void {
    if (payload === undefined) {
      onCommit(undefined);
      return;
    }
    for (const notice of payload.split(',')) {
      const [repoId = Number.NaN, repoSeq = Number.NaN] = notice.split(':').map(Number);
      // Anyone who can connect to the database can send any payload.
      if (Number.isSafeInteger(repoId) && Number.isSafeInteger(repoSeq)) onCommit({ repoId, repoSeq });
    }
  }
}
