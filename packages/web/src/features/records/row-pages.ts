// Pages of a list, read from either end. All cursors are kept, but only recent rows.

export type Direction = 'forward' | 'backward';

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor?: string | undefined;
}

export interface RowRange {
  readonly first: number;
  readonly last: number;
}

export interface PageStep {
  readonly direction: Direction;
  readonly page: number;
  readonly limit: number;
}

interface PlacedPage extends FoundPage {
  readonly direction: Direction;
  readonly end: number;
}

const PAGE_ROWS = 200;
const FAR_PAGE_ROWS = 500;
const FAR_ROWS = 1_000;

export class RowPages<Row> {
  readonly canTurn: boolean;
  readonly #pagesKept: number;
  readonly #walks: Readonly<Record<Direction, PageWalk>> = { forward: new PageWalk(), backward: new PageWalk() };
  readonly #kept = new Map<string, readonly Row[]>();
  #counted: number | undefined;

  constructor(first: RowPage<Row>, { canTurn, pagesKept }: { canTurn: boolean; pagesKept: number }) {
    this.canTurn = canTurn;
    this.#pagesKept = pagesKept;
    this.keep({ direction: 'forward', page: 0, limit: first.rows.length }, first);
  }

  get total(): number | undefined {
    const { forward, backward } = this.#walks;
    if (forward.isDone) return forward.reached;
    return backward.isDone ? backward.reached : this.#counted;
  }

  get length(): number {
    return this.total ?? this.#walks.forward.reached + PAGE_ROWS;
  }

  count(total: number): void {
    this.#counted = total;
  }

  rowAt(index: number): Row | undefined {
    const { total } = this;
    return (
      this.#keptAt('forward', index) ?? (total === undefined ? undefined : this.#keptAt('backward', total - 1 - index))
    );
  }

  cursorOf({ direction, page }: PageStep): string | undefined {
    return this.#walks[direction].cursorOf(page);
  }

  keep({ direction, page }: PageStep, { rows, nextCursor }: RowPage<Row>): void {
    const key = pageKey(direction, page);
    this.#kept.delete(key);
    this.#kept.set(key, rows);
    this.#walks[direction].note(page, { count: rows.length, nextCursor });
    for (const [old] of this.#kept) {
      if (this.#kept.size <= this.#pagesKept) break;
      // The first page cannot be reread, because it fixed the sequence.
      if (old !== pageKey('forward', 0)) this.#kept.delete(old);
    }
  }

  replace(change: (row: Row) => Row): void {
    for (const [key, rows] of this.#kept) this.#kept.set(key, rows.map(change));
  }

  nextStep({ first, last }: RowRange): PageStep | undefined {
    const end = Math.min(last, this.length - 1);
    for (let row = Math.max(0, first); row <= end; ) {
      const known = this.#pageAt(row);
      if (known === undefined) return this.#stepTowards(row);
      if (!known.isKept) return { direction: known.direction, page: known.page, limit: known.count };
      this.#touch(known);
      row = known.end;
    }
    return undefined;
  }

  leftTo(row: number): number | undefined {
    const { left } = this.#wayTo(row);
    return left <= FAR_ROWS || this.#pageAt(row) !== undefined ? undefined : left;
  }

  #pageAt(row: number): (PlacedPage & { readonly isKept: boolean }) | undefined {
    const places = [this.#forwardPage(row), this.#backwardPage(row)]
      .filter((place) => place !== undefined)
      .map((place) => ({ ...place, isKept: this.#kept.has(pageKey(place.direction, place.page)) }));
    return places.find(({ isKept }) => isKept) ?? places[0];
  }

  #forwardPage(row: number): PlacedPage | undefined {
    const found = this.#walks.forward.pageAt(row);
    return found && { ...found, direction: 'forward', end: found.start + found.count };
  }

  #backwardPage(row: number): PlacedPage | undefined {
    const { total } = this;
    const found = total === undefined ? undefined : this.#walks.backward.pageAt(total - 1 - row);
    return total === undefined ? undefined : found && { ...found, direction: 'backward', end: total - found.start };
  }

  #touch({ direction, page }: PlacedPage): void {
    const key = pageKey(direction, page);
    const rows = this.#kept.get(key);
    if (rows === undefined) return;
    this.#kept.delete(key);
    this.#kept.set(key, rows);
  }

  #stepTowards(row: number): PageStep | undefined {
    const { direction, left } = this.#wayTo(row);
    const walk = this.#walks[direction];
    if (walk.isDone) return undefined;
    return { direction, page: walk.pages, limit: left > FAR_ROWS ? FAR_PAGE_ROWS : PAGE_ROWS };
  }

  #wayTo(row: number): { readonly direction: Direction; readonly left: number } {
    const { forward, backward } = this.#walks;
    const { total } = this;
    const ahead = row - forward.reached;
    const behind = total === undefined || !this.canTurn ? Number.POSITIVE_INFINITY : total - 1 - row - backward.reached;
    return ahead <= behind ? { direction: 'forward', left: ahead } : { direction: 'backward', left: behind };
  }

  #keptAt(direction: Direction, row: number): Row | undefined {
    const found = this.#walks[direction].pageAt(row);
    return found && this.#kept.get(pageKey(direction, found.page))?.[row - found.start];
  }
}

const pageKey = (direction: Direction, page: number) => `${direction} ${page}`;

interface FoundPage {
  readonly page: number;
  readonly start: number;
  readonly count: number;
}

class PageWalk {
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
