// Queues the steps of a walk and reports its state.
import { Asking, type Sources } from './asking.ts';
import type { WalkNode, WalkState } from './walk-state.ts';

const CHANGED_MAX = 30;
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

  show(names: readonly string[]): Promise<string[]> {
    return this.#next(async () => {
      if (!this.#isBegun) await this.#begin();
      return await this.#expandEach(names.filter((name) => !this.#asking.expanded.has(name)));
    });
  }

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

  expandAll(isShown: (node: WalkNode) => boolean): Promise<string[]> {
    return this.#next(async () => {
      const { held } = this.#asking;
      const open = [...held.nodes.values()].filter((node) => !held.isExpanded(node.id) && isShown(node));
      const expanded = await this.#expandEach(open.map(({ name }) => name));
      if (!this.#isStopped) await this.#asking.lookBehind().catch(() => undefined);
      this.#tell();
      return expanded;
    });
  }

  fold(names: readonly string[]): Promise<string[]> {
    return this.#next(async () => {
      const kept = new Set(names);
      if ([...this.#asking.expanded].every((name) => kept.has(name))) return [...names];
      // The old state stays visible until the new one is complete.
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

  /** Rereads changed records that are held or adjacent. Failures keep the old state. */
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

  /** Runs steps one after the other. A failure is reported and does not block the queue. */
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
