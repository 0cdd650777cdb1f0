// Reads of a walk. One wide answer expands many records; where it would be too large, many narrow reads go in one
// request.
import type { Graph } from '@cairn/sdk';
import { isMissing } from '../../app/problem.ts';
import type { Around, TiesPage } from './graph.ts';
import { Held } from './held.ts';

export interface Sources {
  readonly around: (name: string, options: Around) => Promise<Graph>;
  readonly ties: (durableId: string, cursor: string | undefined) => Promise<TiesPage>;
}

/** Two references away, to know which neighbours are complete. */
export const FIRST: Around = { depth: 2, limit: 300 };

interface Way {
  readonly reach: Around;
  readonly atOnce: number;
  readonly pick: (names: readonly string[], most: number) => string[];
}

const inOrder: Way['pick'] = (names, most) => names.slice(0, most);
const GOLDEN_RATIO = 0.618;

/** Picks from all over the list: neighbours in it are often covered by one answer. */
const spread: Way['pick'] = (names, most) => {
  if (names.length <= most) return [...names];
  const places = Array.from({ length: most }, (_, index) => Math.floor(((index * GOLDEN_RATIO) % 1) * names.length));
  return [...new Set(places)].flatMap((place) => names[place] ?? []);
};

const NEXT: Way = { reach: { depth: 2, limit: 500 }, atOnce: 5, pick: inOrder };
const WIDE: Way = { reach: { depth: 3, limit: 500 }, atOnce: 5, pick: spread };
const NARROW: Way = { reach: { depth: 1, limit: 500 }, atOnce: 20, pick: inOrder };
/** A wide answer costs as much as dozens of narrow ones, so it must complete this many records. */
const TOLD_LEAST = 10;
const FURTHER_LEAST = 250;
const TURN_MS = 20;

type OnStep = (done: number) => boolean;

export class Asking {
  readonly held = new Held();
  readonly expanded = new Set<string>();
  readonly #sources: Sources;
  readonly #from: string;
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

  /** Stops if the rest does not fit into one request; expanding complete records would add nothing. */
  async lookBehind(): Promise<void> {
    const left = [...this.held.nodes.values()].filter(({ id }) => !this.held.isExpanded(id));
    if (left.length > NARROW.atOnce) return;
    const answers = await Promise.all(left.map(({ name }) => this.#ask(name, NARROW.reach)));
    for (const answer of answers) if (answer !== undefined) this.held.noteIfHeld(answer, NARROW.reach.depth);
  }

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

  /** Reads pages until some hundred new records are there; the first page is mostly known. */
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

  #openOf(names: readonly string[]): string[] {
    const complete = new Set([...this.held.complete].map((id) => this.held.nodes.get(id)?.name));
    return names.filter((name) => !complete.has(name));
  }
}
