// A walk through a list by its cursors, from one end: which pages were passed.

export interface FoundPage {
  readonly page: number;
  /** Its first row, counted from where the walk begins, and how many it has. */
  readonly start: number;
  readonly count: number;
}

/** From one end of the list: where each page that was read begins, and by which cursor it is read. */
export class PageWalk {
  readonly #starts: number[] = [0];
  readonly #cursors: (string | undefined)[] = [undefined];
  isDone = false;

  get pages(): number {
    return this.#starts.length - 1;
  }

  get reached(): number {
    return this.#starts.at(-1) ?? 0;
  }

  cursorOf(page: number): string | undefined {
    return this.#cursors[page];
  }

  /** A page that was known already has told nothing new. */
  note(page: number, { count, nextCursor }: { count: number; nextCursor: string | undefined }): void {
    if (page !== this.pages) return;
    this.#starts.push(this.reached + count);
    this.#cursors.push(nextCursor);
    this.isDone = nextCursor === undefined;
  }

  pageAt(row: number): FoundPage | undefined {
    if (row < 0 || row >= this.reached) return undefined;
    let [low, high] = [0, this.pages - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    const start = this.#starts[low] ?? 0;
    return { page: low, start, count: (this.#starts[low + 1] ?? 0) - start };
  }
}
