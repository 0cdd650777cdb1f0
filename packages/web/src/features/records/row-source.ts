// Reads the wanted rows of a list page by page, from the nearest known cursor (row-pages.ts). Unwanted reads are
// aborted, and rate limits are waited out.
import { type Direction, type PageStep, type RowPage, RowPages, type RowRange } from './row-pages.ts';

export interface PageRequest {
  readonly direction: Direction;
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

type ReadPage<Row> = (request: PageRequest) => Promise<RowPage<Row>>;

interface Search {
  readonly row: number;
  readonly whole: number;
  readonly left: number;
}

interface RowSourceOptions<Row> {
  readonly read: ReadPage<Row>;
  readonly first: RowPage<Row>;
  readonly canTurn: boolean;
  readonly pagesKept?: number;
  /** Time to wait after a failure; undefined stops. */
  readonly waitMsOf?: (error: unknown) => number | undefined;
}

const PAGES_KEPT = 40;

export class RowSource<Row> {
  readonly #read: ReadPage<Row>;
  readonly #waitMsOf: (error: unknown) => number | undefined;
  readonly #pages: RowPages<Row>;
  readonly #listeners = new Set<() => void>();
  #running: { readonly step: PageStep; readonly abort: AbortController } | undefined;
  #work: Promise<void> = Promise.resolve();
  #version = 0;
  wanted: RowRange | undefined;
  search: Search | undefined;
  error: unknown;
  goesOnAt: number | undefined;

  constructor({ read, first, canTurn, pagesKept = PAGES_KEPT, waitMsOf = () => undefined }: RowSourceOptions<Row>) {
    this.#read = read;
    this.#waitMsOf = waitMsOf;
    this.#pages = new RowPages(first, { canTurn, pagesKept });
  }

  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get canTurn(): boolean {
    return this.#pages.canTurn;
  }

  get total(): number | undefined {
    return this.#pages.total;
  }

  get length(): number {
    return this.#pages.length;
  }

  count(total: number): void {
    this.#pages.count(total);
    this.#change();
    this.#go();
  }

  rowAt(index: number): Row | undefined {
    return this.#pages.rowAt(index);
  }

  want(range: RowRange | undefined): void {
    const isSame = range?.first === this.wanted?.first && range?.last === this.wanted?.last;
    this.wanted = range;
    if (!isSame) this.error = undefined;
    const step = this.#nextStep();
    if (this.#running !== undefined && !isSameStep(step, this.#running.step)) this.#running.abort.abort();
    this.#go();
  }

  retry(): void {
    this.error = undefined;
    this.#change();
    this.#go();
  }

  async settled(): Promise<void> {
    await this.#work;
  }

  replace(change: (row: Row) => Row): void {
    this.#pages.replace(change);
    this.#change();
  }

  #change(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  #nextStep(): PageStep | undefined {
    return this.wanted && this.#pages.nextStep(this.wanted);
  }

  #go(): void {
    if (this.#running !== undefined || this.error !== undefined || this.#nextStep() === undefined) return;
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
          this.error = error;
          break;
        }
      }
    }
    this.#running = undefined;
    this.search = undefined;
    this.#change();
  }

  async #wait(waitMs: number): Promise<void> {
    this.goesOnAt = Date.now() + waitMs;
    this.#change();
    await new Promise((turn) => setTimeout(turn, waitMs));
    this.goesOnAt = undefined;
    this.#change();
  }

  async #take(step: PageStep, signal: AbortSignal): Promise<void> {
    const { direction, limit } = step;
    const read = await this.#read({ direction, cursor: this.#pages.cursorOf(step), limit, signal });
    if (signal.aborted) return;
    this.#pages.keep(step, read);
    this.#change();
  }

  #noteSearch(): void {
    const row = this.wanted?.first ?? 0;
    const left = this.#pages.leftTo(row);
    const before = this.search;
    this.search = left === undefined ? undefined : { row, whole: before?.row === row ? before.whole : left, left };
  }
}

const isSameStep = (a: PageStep | undefined, b: PageStep) => a?.direction === b.direction && a.page === b.page;
