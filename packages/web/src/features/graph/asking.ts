// What a walk asks for, and holds of the answers. Many records are expanded by few answers: a wide one tells of others that are
// to be expanded too; where there is too much around a record for that, each is asked for narrowly, many in one request.
import type { Graph } from '@cairn/sdk';
import { isMissing } from '../../app/problem.ts';
import type { Around, TiesPage } from './graph.ts';
import { Held } from './held.ts';

/** Where the answers come from. */
export interface Sources {
  readonly around: (name: string, options: Around) => Promise<Graph>;
  /** A page of what one is tied to, for those that are tied to more than one answer has. */
  readonly ties: (durableId: string, cursor: string | undefined) => Promise<TiesPage>;
}

/** What is shown at first: farther than one reference, to know whose neighbours are all held. */
export const FIRST: Around = { depth: 2, limit: 300 };

interface Way {
  readonly reach: Around;
  /** So many calls at once: of narrow answers as many as are one request, of wide ones what is read in no time. */
  readonly atOnce: number;
  readonly pick: (names: readonly string[], most: number) => string[];
}

/** Those that came first are nearer, and tell of what is behind them. */
const inOrder: Way['pick'] = (names, most) => names.slice(0, most);

const GOLDEN_RATIO = 0.618;

/** From all over the list, in no even steps: what is next to each other in it, or comes in turns, one answer often tells of. */
const spread: Way['pick'] = (names, most) => {
  if (names.length <= most) return [...names];
  const places = Array.from({ length: most }, (_, index) => Math.floor(((index * GOLDEN_RATIO) % 1) * names.length));
  return [...new Set(places)].flatMap((place) => names[place] ?? []);
};

const NEXT: Way = { reach: { depth: 2, limit: 500 }, atOnce: 5, pick: inOrder };
const WIDE: Way = { reach: { depth: 3, limit: 500 }, atOnce: 5, pick: spread };
const NARROW: Way = { reach: { depth: 1, limit: 500 }, atOnce: 20, pick: inOrder };
/** A wide answer takes as long as dozens of narrow ones: unless it tells of so many records, the next way is taken. */
const TOLD_LEAST = 10;
/** So many more come when a record is expanded further. */
const FURTHER_LEAST = 250;
/** After so long the page has its turn, while answers are taken. */
const TURN_MS = 20;

/** Told how many are done; whether to go on. */
export type OnStep = (done: number) => boolean;

export class Asking {
  readonly held = new Held();
  /** The names of those that were expanded. */
  readonly expanded = new Set<string>();
  readonly #sources: Sources;
  readonly #from: string;
  /** Where the next page of what a record is tied to begins. */
  readonly #cursors = new Map<string, string>();

  constructor(from: string, sources: Sources) {
    this.#from = from;
    this.#sources = sources;
  }

  async begin(): Promise<void> {
    const answer = await this.#sources.around(this.#from, FIRST);
    this.held.merge(answer, () => true);
    this.held.noteFirst(answer, FIRST.depth);
  }

  /** Gives the names of those that had to be: a record next to another that was expanded is often complete already. */
  async expandEach(names: readonly string[], onStep: OnStep): Promise<string[]> {
    const expanded: string[] = [];
    const ways = [WIDE, NARROW];
    let way = NEXT;
    let left = this.#openOf(names);
    while (left.length > 0 && !this.held.isFull && onStep(names.length - left.length)) {
      const some = way.pick(left, way.atOnce);
      const before = this.held.complete.size;
      expanded.push(...(await this.#expandSome(some, { reach: way.reach, among: new Set(left) })));
      const done = new Set(some);
      left = this.#openOf(left).filter((name) => !done.has(name));
      if (this.held.complete.size - before < TOLD_LEAST * some.length) way = ways.shift() ?? NARROW;
    }
    return expanded;
  }

  /** Of those that are left, if one request tells of them all: to expand whose neighbours are held would bring nothing. */
  async lookBehind(): Promise<void> {
    const left = [...this.held.nodes.values()].filter(({ id }) => !this.held.isExpanded(id));
    if (left.length > NARROW.atOnce) return;
    const answers = await Promise.all(left.map(({ name }) => this.#ask(name, NARROW.reach)));
    for (const answer of answers) if (answer !== undefined) this.held.noteIfHeld(answer, NARROW.reach.depth);
  }

  /** Each when it is there: others that are expanded may lead to it. */
  async expandWhatIsHeld(names: readonly string[]): Promise<string[]> {
    const left = new Set(names);
    const expanded: string[] = [];
    for (;;) {
      const next = [...left].filter((name) => this.held.named(name) !== undefined);
      if (next.length === 0) return expanded;
      for (const name of next) left.delete(name);
      expanded.push(...(await this.expandEach(next, () => true)));
    }
  }

  /** Page by page, until there are some hundred that were not held: those of the first page mostly were. */
  async expandFurther(id: string, isStopped: () => boolean): Promise<void> {
    const enough = this.held.nodes.size + FURTHER_LEAST;
    while (this.held.nodes.size < enough && !this.held.isFull && !isStopped()) {
      const page = await this.#sources.ties(id, this.#cursors.get(id));
      this.held.merge(page, () => true);
      if (page.nextCursor === undefined) {
        this.#cursors.delete(id);
        this.held.noteComplete(id);
        return;
      }
      this.#cursors.set(id, page.nextCursor);
    }
  }

  /** After a change of it. */
  async askAgain(name: string): Promise<void> {
    const answer = await this.#ask(name, NARROW.reach);
    const [itself, ...others] = answer?.nodes ?? [];
    if (answer === undefined || itself === undefined) return;
    const isNext = others.some(({ durableId }) => this.held.isExpanded(durableId));
    if (!this.held.nodes.has(itself.durableId) && !isNext) return;
    this.held.dropReferencesOf(itself.durableId);
    const isComplete = this.held.complete.has(itself.durableId);
    this.held.merge(answer, ({ distance }) => distance === 0 || isComplete);
  }

  async #expandSome(
    names: readonly string[],
    { reach, among }: { readonly reach: Around; readonly among: ReadonlySet<string> },
  ): Promise<string[]> {
    const answers = await Promise.all(names.map((name) => this.#ask(name, reach)));
    for (const name of names) this.expanded.add(name);
    const others: string[] = [];
    let begun = performance.now();
    for (const answer of answers) {
      if (answer !== undefined) others.push(...this.held.expandFrom(answer, { depth: reach.depth, among }));
      if (performance.now() - begun < TURN_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      begun = performance.now();
    }
    for (const name of others) this.expanded.add(name);
    return [...new Set([...names, ...others])];
  }

  /** What is gone meanwhile is held no more. */
  async #ask(name: string, reach: Around): Promise<Graph | undefined> {
    try {
      return await this.#sources.around(name, reach);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const held = this.held.named(name);
      if (held !== undefined) this.held.drop(held.id);
      return undefined;
    }
  }

  /** Those whose neighbours are not all held. */
  #openOf(names: readonly string[]): string[] {
    const complete = new Set([...this.held.complete].map((id) => this.held.nodes.get(id)?.name));
    return names.filter((name) => !complete.has(name));
  }
}
