// A walk outward from a record: what is asked for, and when. What came of it is held elsewhere (held.ts); where the answers
// come from, and how it is drawn, is left to others.
import type { Graph } from '@cairn/sdk';
import { isMissing } from '../../app/problem.ts';
import type { Around } from '../../data/graph.ts';
import type { TiesPage } from '../../data/ties.ts';
import { Held } from './held.ts';
import type { WalkNode, WalkState } from './walk-state.ts';

/** Where the answers come from. */
export interface Sources {
  readonly around: (name: string, options: Around) => Promise<Graph>;
  /** A page of what one is tied to, for those that are tied to more than one answer has. */
  readonly ties: (durableId: string, cursor: string | undefined) => Promise<TiesPage>;
}

/** What is shown at first, and what an expansion looks at: two references away, to know whose neighbours are all held. */
export const FIRST: Around = { depth: 2, limit: 300 };
const NEXT: Around = { depth: 2, limit: 500 };
const AGAIN: Around = { depth: 1, limit: 500 };
/** So many more come when a record is expanded further. */
const FURTHER_LEAST = 250;
/** So many are asked for at once, and so many again after a change. */
const AT_ONCE = 3;
const CHANGED_MAX = 30;
/** So often who looks is told at most, while much comes. */
const TELL_MS = 500;

export class Walk {
  readonly #sources: Sources;
  readonly #from: string;
  #held = new Held();
  #isBegun = false;
  #asked = new Set<string>();
  /** Where the next page of what a record is tied to begins. */
  #cursors = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #work: { done: number; all: number } | undefined;
  #problem: unknown;
  #isStopped = false;
  #state: WalkState;
  #queue: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(from: string, sources: Sources) {
    this.#from = from;
    this.#sources = sources;
    this.#state = this.#take();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): WalkState => this.#state;

  /** Begins, and expands these, if that was not done before. */
  show(names: readonly string[]): Promise<string[]> {
    return this.#next(async () => {
      if (!this.#isBegun) await this.#begin();
      return await this.#expandEach(names.filter((name) => !this.#asked.has(name)));
    });
  }

  /** Expands one; where it has more neighbours than one answer, by so many more each time. */
  expand(name: string): Promise<string[]> {
    return this.#next(() => this.#expandEach([name]));
  }

  /** Expands all records that are held and let through; gives the names of those that had to be asked for. */
  expandAll(isShown: (node: WalkNode) => boolean): Promise<string[]> {
    return this.#next(() => {
      const open = [...this.#held.nodes.values()].filter((node) => !this.#held.isExpanded(node.id) && isShown(node));
      return this.#expandEach(open.map(({ name }) => name));
    });
  }

  /** Folds all but these; what only the others led to goes with them. Gives the names of those that stay expanded. */
  fold(names: readonly string[]): Promise<string[]> {
    return this.#next(async () => {
      const kept = new Set(names);
      if ([...this.#asked].every((name) => kept.has(name))) return [...names];
      // Beside what is shown, which stays until all of it is there.
      const anew = new Walk(this.#from, this.#sources);
      await anew.#begin();
      const expanded = await anew.#expandWhatIsHeld(names);
      this.#held = anew.#held;
      this.#asked = anew.#asked;
      this.#cursors = anew.#cursors;
      this.#tell();
      return expanded;
    });
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Asks again for what changed, as far as it is held or next to what is. What cannot be had stays as it was. */
  refresh(changed: ReadonlySet<string>): Promise<string[]> {
    return this.#next(async () => {
      const names = [...changed].filter((name) => name.includes('/'));
      const isMuch = names.length === 0 || names.length > CHANGED_MAX;
      await (isMuch ? this.#askAnew() : this.#askAgainFor(names)).catch(() => undefined);
      this.#held.dropForgotten(this.#from);
      this.#tell();
      return names;
    });
  }

  /** One after the other. What fails is kept to be shown, and does not hold up what comes. */
  #next(work: () => Promise<string[]>): Promise<string[]> {
    const done = this.#queue.then(async () => {
      this.#isStopped = false;
      this.#problem = undefined;
      try {
        return await work();
      } catch (problem) {
        this.#problem = problem;
        this.#work = undefined;
        this.#tell();
        return [];
      }
    });
    this.#queue = done;
    return done;
  }

  async #begin(): Promise<void> {
    await this.#askAnew();
    this.#isBegun = true;
    this.#tell();
  }

  async #askAnew(): Promise<void> {
    const answer = await this.#sources.around(this.#from, FIRST);
    this.#held.merge(answer, () => true);
    this.#held.noteFirst(answer);
  }

  async #expandEach(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const left = names.values();
    const asked: string[] = [];
    this.#work = { done: 0, all: names.length };
    this.#tell();
    const worker = async () => {
      for (const name of left) {
        if (this.#isStopped || this.#held.isFull) return;
        if (await this.#expand(name)) asked.push(name);
        if (this.#work !== undefined) this.#work = { ...this.#work, done: this.#work.done + 1 };
        this.#tellSoon();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    this.#work = undefined;
    this.#tell();
    return asked;
  }

  /** Each when it is there: others that are expanded may lead to it. */
  async #expandWhatIsHeld(names: readonly string[]): Promise<string[]> {
    const left = new Set(names);
    const expanded: string[] = [];
    for (;;) {
      const next = [...left].filter((name) => this.#held.named(name) !== undefined);
      if (next.length === 0) return expanded;
      for (const name of next) left.delete(name);
      expanded.push(...(await this.#expandEach(next)));
    }
  }

  /** Whether it had to be asked for: a record next to another that was expanded is often complete already. */
  async #expand(name: string): Promise<boolean> {
    const held = this.#held.named(name);
    if (held !== undefined && this.#held.complete.has(held.id)) return false;
    this.#asked.add(name);
    try {
      if (held !== undefined && this.#held.cut.has(held.id)) await this.#expandFurther(held.id);
      else {
        const answer = await this.#sources.around(name, NEXT);
        this.#held.merge(answer, ({ distance }) => distance <= 1);
        this.#held.noteExpanded(answer);
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (held !== undefined) this.#held.drop(held.id);
    }
    return true;
  }

  /** Page by page, until there are some hundred that were not held: those of the first page mostly were. */
  async #expandFurther(id: string): Promise<void> {
    const enough = this.#held.nodes.size + FURTHER_LEAST;
    while (this.#held.nodes.size < enough && !this.#held.isFull && !this.#isStopped) {
      const page = await this.#sources.ties(id, this.#cursors.get(id));
      this.#held.merge(page, () => true);
      if (page.nextCursor === undefined) {
        this.#cursors.delete(id);
        this.#held.noteComplete(id);
        return;
      }
      this.#cursors.set(id, page.nextCursor);
    }
  }

  async #askAgainFor(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#askAgain(name);
  }

  async #askAgain(name: string): Promise<void> {
    const held = this.#held.named(name);
    try {
      const answer = await this.#sources.around(name, AGAIN);
      const [itself, ...others] = answer.nodes;
      if (itself === undefined) return;
      const isNext = others.some(({ durableId }) => this.#held.isExpanded(durableId));
      if (!this.#held.nodes.has(itself.durableId) && !isNext) return;
      this.#held.dropReferencesOf(itself.durableId);
      const isComplete = this.#held.complete.has(itself.durableId);
      this.#held.merge(answer, ({ distance }) => distance === 0 || isComplete);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (held !== undefined) this.#held.drop(held.id);
    }
  }

  #take(): WalkState {
    const { nodes, edges, complete, cut, isFull } = this.#held;
    return {
      nodes,
      edges,
      complete,
      cut,
      work: this.#work,
      problem: this.#problem,
      isFull,
      isPart: this.#held.isPart(this.#from),
    };
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#state = this.#take();
    for (const listener of this.#listeners) listener();
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => this.#tell(), TELL_MS);
  }
}
