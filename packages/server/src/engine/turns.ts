// One piece of work at a time for each key, in the order in which they came; different keys do not wait for each other.

export class Turns<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  take<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work);
    // Kept whether it succeeds or fails: the next in line waits for its end, and does not care how it ended.
    const settled: Promise<void> = mine.then(ignore, ignore).then(() => this.#forget(key, settled));
    this.#last.set(key, settled);
    return mine;
  }

  #forget(key: Key, settled: Promise<unknown>): void {
    if (this.#last.get(key) === settled) this.#last.delete(key);
  }
}

function ignore(): void {}
