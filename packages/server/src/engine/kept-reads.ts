// Reads whose results are kept for as long as nothing is committed, by whichever process: SQLite tells that by a number
// which costs less to ask for than the least of reads.

/** So that who asks for very many different things does not fill the memory. */
const KEPT_MAX = 10_000;

export class KeptReads {
  readonly #currentVersion: () => number;
  readonly #kept = new Map<string, unknown>();
  #version: number | undefined;

  /** The version is another one after each commit of another connection. */
  constructor(currentVersion: () => number) {
    this.#currentVersion = currentVersion;
  }

  async kept<Result>(key: string, read: () => Promise<Result | undefined>): Promise<Result | undefined> {
    const version = this.#currentVersion();
    if (version !== this.#version || this.#kept.size >= KEPT_MAX) {
      this.#kept.clear();
      this.#version = version;
    }
    const known = this.#kept.get(key) as Result | undefined;
    if (known !== undefined) return known;
    const found = await read();
    // What was committed while it was read is in it, or not: then the version is another one by now.
    if (found !== undefined && this.#version === version) this.#kept.set(key, found);
    return found;
  }
}
