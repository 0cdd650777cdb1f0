// A walk outward from a record: what is done one after the other, and who is told of it. What is asked for, and what of it is
// held, is left to others (asking.ts, held.ts), and so is how it is drawn.
import { Asking, type Sources } from './asking.ts';
import type { WalkNode, WalkState } from './walk-state.ts';

/** So many are asked for again after a change; after a larger one, all. */
const CHANGED_MAX = 30;
/** So often who looks is told at most, while much comes. */
const TELL_MS = 500;

export class Walk {
  readonly #sources: Sources;
  readonly #from: string;
  #asking: Asking;
  #isBegun = false;
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
    this.#asking = new Asking(from, sources);
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
      return await this.#expandEach(names.filter((name) => !this.#asking.expanded.has(name)));
    });
  }

  /** Expands one; where it has more neighbours than one answer, by so many more each time. */
  expand(name: string): Promise<string[]> {
    return this.#next(async () => {
      const { held } = this.#asking;
      const node = held.named(name);
      if (node === undefined || !held.cut.has(node.id)) return await this.#expandEach([name]);
      this.#work = { done: 0, all: 1 };
      this.#tell();
      await this.#asking.expandFurther(node.id, () => this.#isStopped);
      this.#endWork();
      return [name];
    });
  }

  /** Expands all records that are held and let through; gives the names of those that had to be asked for. */
  expandAll(isShown: (node: WalkNode) => boolean): Promise<string[]> {
    return this.#next(async () => {
      const { held } = this.#asking;
      const open = [...held.nodes.values()].filter((node) => !held.isExpanded(node.id) && isShown(node));
      const expanded = await this.#expandEach(open.map(({ name }) => name));
      // Whether there is more is told where it can be; the next step does without.
      if (!this.#isStopped) await this.#asking.lookBehind().catch(() => undefined);
      this.#tell();
      return expanded;
    });
  }

  /** Folds all but these; what only the others led to goes with them. Gives the names of those that stay expanded. */
  fold(names: readonly string[]): Promise<string[]> {
    return this.#next(async () => {
      const kept = new Set(names);
      if ([...this.#asking.expanded].every((name) => kept.has(name))) return [...names];
      // Beside what is shown, which stays until all of it is there.
      const anew = new Asking(this.#from, this.#sources);
      await anew.begin();
      const expanded = await anew.expandWhatIsHeld(names);
      this.#asking = anew;
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
      await (isMuch ? this.#asking.begin() : this.#askAgainFor(names)).catch(() => undefined);
      this.#asking.held.dropForgotten(this.#from);
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
    await this.#asking.begin();
    this.#isBegun = true;
    this.#tell();
  }

  async #expandEach(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    this.#work = { done: 0, all: names.length };
    this.#tell();
    const expanded = await this.#asking.expandEach(names, (done) => {
      this.#work = { done, all: names.length };
      this.#tellSoon();
      return !this.#isStopped;
    });
    this.#endWork();
    return expanded;
  }

  async #askAgainFor(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#asking.askAgain(name);
  }

  #endWork(): void {
    this.#work = undefined;
    this.#tell();
  }

  #take(): WalkState {
    const { held } = this.#asking;
    const { nodes, edges, complete, cut, isFull } = held;
    return {
      nodes,
      edges,
      complete,
      cut,
      work: this.#work,
      problem: this.#problem,
      isFull,
      isPart: held.isPart(this.#from),
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
