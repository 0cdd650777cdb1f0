// The rows of a list of any length, of which the server gives pages by cursor alone. Pages are walked from both ends where
// the list can be turned round, so that either end is near; to a row between them the way goes on from the nearest page that
// is known. How to read a page again is kept of all that were walked, the rows themselves only of those seen last.

export type Direction = 'forward' | 'backward';

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Absent on the last page. */
  readonly nextCursor?: string | undefined;
}

export interface PageRequest {
  readonly direction: Direction;
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** All pages must be of one list, as it was at one sequence. */
export type ReadPage<Row> = (request: PageRequest) => Promise<RowPage<Row>>;

export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** On the way to a row that is not near. */
export interface Search {
  readonly row: number;
  /** How many rows there were to pass, and how many there still are. */
  readonly whole: number;
  readonly left: number;
}

export interface RowSourceOptions<Row> {
  readonly read: ReadPage<Row>;
  readonly first: RowPage<Row>;
  readonly canTurn: boolean;
  readonly pagesKept?: number;
  /** After which failures it goes on by itself, and after how long. */
  readonly waitMsOf?: (error: unknown) => number | undefined;
}

const PAGE_ROWS = 200;
/** Who passes over many takes as many at once as the server gives. */
const FAR_PAGE_ROWS = 500;
const FAR_ROWS = 1_000;
const PAGES_KEPT = 40;

interface Step {
  readonly direction: Direction;
  readonly page: number;
  readonly limit: number;
}

interface Running {
  readonly step: Step;
  readonly abort: AbortController;
}

export class RowSource<Row> {
  readonly #read: ReadPage<Row>;
  /** Whether it can be walked from its end too. */
  readonly canTurn: boolean;
  readonly #pagesKept: number;
  readonly #waitMsOf: (error: unknown) => number | undefined;
  readonly #walks: Readonly<Record<Direction, Walk>> = { forward: new Walk(), backward: new Walk() };
  /** The one that was used last stands last. */
  readonly #kept = new Map<string, readonly Row[]>();
  readonly #listeners = new Set<() => void>();
  #counted: number | undefined;
  #wanted: RowRange | undefined;
  #running: Running | undefined;
  #work: Promise<void> = Promise.resolve();
  #search: Search | undefined;
  #error: unknown;
  #goesOnAt: number | undefined;
  #version = 0;

  constructor({ read, first, canTurn, pagesKept = PAGES_KEPT, waitMsOf = () => undefined }: RowSourceOptions<Row>) {
    this.#read = read;
    this.canTurn = canTurn;
    this.#pagesKept = pagesKept;
    this.#waitMsOf = waitMsOf;
    this.#keep({ direction: 'forward', page: 0, limit: first.rows.length }, first);
  }

  /** Changes whenever something else is to be shown. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** How many rows there are, once that is known. */
  get total(): number | undefined {
    const { forward, backward } = this.#walks;
    // Who has come to the end has counted better than anyone.
    if (forward.isDone) return forward.reached;
    return backward.isDone ? backward.reached : this.#counted;
  }

  /** How many rows there are to scroll through: as long as the number is not known, one page more than was walked. */
  get length(): number {
    return this.total ?? this.#walks.forward.reached + PAGE_ROWS;
  }

  get search(): Search | undefined {
    return this.#search;
  }

  /** Why rows that are wanted cannot be had. */
  get error(): unknown {
    return this.#error;
  }

  /** While it may not ask: when it goes on, in milliseconds as `Date.now` counts them. */
  get goesOnAt(): number | undefined {
    return this.#goesOnAt;
  }

  get wanted(): RowRange | undefined {
    return this.#wanted;
  }

  count(total: number): void {
    this.#counted = total;
    this.#change();
    this.#go();
  }

  rowAt(index: number): Row | undefined {
    const { total } = this;
    return (
      this.#keptAt('forward', index) ?? (total === undefined ? undefined : this.#keptAt('backward', total - 1 - index))
    );
  }

  /** Which rows are on the screen; what is on its way to others is ended. */
  want(range: RowRange | undefined): void {
    const isSame = range?.first === this.#wanted?.first && range?.last === this.#wanted?.last;
    this.#wanted = range;
    if (!isSame) this.#error = undefined;
    const step = this.#nextStep();
    if (this.#running !== undefined && !isSameStep(step, this.#running.step)) this.#running.abort.abort();
    this.#go();
  }

  retry(): void {
    this.#error = undefined;
    this.#change();
    this.#go();
  }

  /** When what is wanted is there, or cannot be had. */
  async settled(): Promise<void> {
    await this.#work;
  }

  /** Puts others in the place of rows that are kept. */
  replace(change: (row: Row) => Row): void {
    for (const [key, rows] of this.#kept) this.#kept.set(key, rows.map(change));
    this.#change();
  }

  #change(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  #go(): void {
    if (this.#running !== undefined || this.#error !== undefined || this.#nextStep() === undefined) return;
    this.#work = this.#run();
  }

  async #run(): Promise<void> {
    for (let step = this.#nextStep(); step !== undefined; step = this.#nextStep()) {
      this.#noteSearch();
      const abort = new AbortController();
      this.#running = { step, abort };
      try {
        await this.#take(step, abort.signal);
      } catch (error) {
        const waitMs = this.#waitMsOf(error);
        if (waitMs !== undefined) await this.#wait(waitMs);
        else if (!abort.signal.aborted) {
          this.#error = error;
          break;
        }
      }
    }
    this.#running = undefined;
    this.#search = undefined;
    this.#change();
  }

  /** Whatever is wanted meanwhile is asked for then. */
  async #wait(waitMs: number): Promise<void> {
    this.#goesOnAt = Date.now() + waitMs;
    this.#change();
    await new Promise((turn) => setTimeout(turn, waitMs));
    this.#goesOnAt = undefined;
    this.#change();
  }

  async #take(step: Step, signal: AbortSignal): Promise<void> {
    const { direction, page, limit } = step;
    const cursor = this.#walks[direction].cursorOf(page);
    const read = await this.#read({ direction, cursor, limit, signal });
    if (signal.aborted) return;
    this.#keep(step, read);
    this.#change();
  }

  #keep({ direction, page }: Step, { rows, nextCursor }: RowPage<Row>): void {
    const key = keyOf(direction, page);
    this.#kept.delete(key);
    this.#kept.set(key, rows);
    this.#walks[direction].note(page, { count: rows.length, nextCursor });
    for (const [old] of this.#kept) {
      if (this.#kept.size <= this.#pagesKept) break;
      // The first page was read before the sequence was known, and stands for it.
      if (old !== keyOf('forward', 0)) this.#kept.delete(old);
    }
  }

  /** What must be read next for what is wanted; nothing when all of it is there. */
  #nextStep(): Step | undefined {
    if (this.#wanted === undefined) return undefined;
    const last = Math.min(this.#wanted.last, this.length - 1);
    for (let row = Math.max(0, this.#wanted.first); row <= last; ) {
      const known = this.#pageAt(row);
      if (known === undefined) return this.#stepTowards(row);
      if (!known.isKept) return { direction: known.direction, page: known.page, limit: known.count };
      this.#touch(known);
      row = known.end;
    }
    return undefined;
  }

  /** The page that a row is on, one whose rows are kept before others. */
  #pageAt(row: number): (PlacedPage & { readonly isKept: boolean }) | undefined {
    const places = [this.#forwardPage(row), this.#backwardPage(row)]
      .filter((place) => place !== undefined)
      .map((place) => ({ ...place, isKept: this.#kept.has(keyOf(place.direction, place.page)) }));
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
    const key = keyOf(direction, page);
    const rows = this.#kept.get(key);
    if (rows === undefined) return;
    this.#kept.delete(key);
    this.#kept.set(key, rows);
  }

  #stepTowards(row: number): Step | undefined {
    const { direction, left } = this.#wayTo(row);
    const walk = this.#walks[direction];
    if (walk.isDone) return undefined;
    return { direction, page: walk.pages, limit: left > FAR_ROWS ? FAR_PAGE_ROWS : PAGE_ROWS };
  }

  /** From the nearer side. */
  #wayTo(row: number): { readonly direction: Direction; readonly left: number } {
    const { forward, backward } = this.#walks;
    const { total } = this;
    const ahead = row - forward.reached;
    const behind = total === undefined || !this.canTurn ? Number.POSITIVE_INFINITY : total - 1 - row - backward.reached;
    return ahead <= behind ? { direction: 'forward', left: ahead } : { direction: 'backward', left: behind };
  }

  #noteSearch(): void {
    const row = this.#wanted?.first ?? 0;
    const isKnown = this.#pageAt(row) !== undefined;
    const { left } = this.#wayTo(row);
    if (isKnown || left <= FAR_ROWS) this.#search = undefined;
    else this.#search = { row, whole: this.#search?.row === row ? this.#search.whole : left, left };
  }

  #keptAt(direction: Direction, row: number): Row | undefined {
    const found = this.#walks[direction].pageAt(row);
    return found && this.#kept.get(keyOf(direction, found.page))?.[row - found.start];
  }
}

interface FoundPage {
  readonly page: number;
  /** Its first row, counted from where the walk begins, and how many it has. */
  readonly start: number;
  readonly count: number;
}

interface PlacedPage extends FoundPage {
  readonly direction: Direction;
  /** The row of the list after its last one. */
  readonly end: number;
}

/** From one end of the list: where each page that was read begins, and by which cursor it is read. */
class Walk {
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

const keyOf = (direction: Direction, page: number) => `${direction} ${page}`;

const isSameStep = (a: Step | undefined, b: Step) => a?.direction === b.direction && a.page === b.page;
