// A walk outward from a record: which records are held, which references between them are known, and of which records all
// neighbours are held. Where the answers come from, and how it is drawn, is left to others.
import type { Graph } from '@cairn/sdk';
import { isMissing } from '../../app/problem.ts';
import type { Around } from '../../data/graph.ts';
import { toEdge, toNode, type WalkEdge, type WalkNode, type WalkState } from './walk-state.ts';

export type AskAround = (name: string, options: Around) => Promise<Graph>;

/** A graph of more is neither drawn smoothly nor read by anybody. */
export const NODES_MAX = 10_000;
/** What is shown at first, and what an expansion looks at: two references away, to know whose neighbours are all held. */
const FIRST: Around = { depth: 2, limit: 300 };
const NEXT: Around = { depth: 2, limit: 500 };
const AGAIN: Around = { depth: 1, limit: 500 };
/** So many are asked for at once, and so many again after a change. */
const AT_ONCE = 3;
const CHANGED_MAX = 30;
/** So often who looks is told at most, while much comes. */
const TELL_MS = 500;

export class Walk {
  readonly #ask: AskAround;
  readonly #from: string;
  #nodes = new Map<string, WalkNode>();
  #edges = new Map<string, WalkEdge>();
  #complete = new Set<string>();
  #cut = new Set<string>();
  #asked = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #work: { done: number; all: number } | undefined;
  #problem: unknown;
  #isStopped = false;
  #state: WalkState;
  #queue: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(from: string, ask: AskAround) {
    this.#from = from;
    this.#ask = ask;
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
      if (!this.#asked.has(this.#from)) await this.#begin();
      return await this.#expandEach(names.filter((name) => !this.#asked.has(name)));
    });
  }

  /** Expands all records that are held and let through; gives the names of those that had to be asked for. */
  expandAll(isShown: (node: WalkNode) => boolean): Promise<string[]> {
    return this.#next(() => {
      const open = [...this.#nodes.values()].filter((node) => !this.#isExpanded(node.id) && isShown(node));
      return this.#expandEach(open.map(({ name }) => name));
    });
  }

  /** Folds all but these; what only the others led to goes with them. Gives the names of those that stay expanded. */
  fold(names: readonly string[]): Promise<string[]> {
    return this.#next(async () => {
      const kept = new Set([this.#from, ...names]);
      if ([...this.#asked].every((name) => kept.has(name))) return [...names];
      // Beside what is shown, which stays until all of it is there.
      const anew = new Walk(this.#from, this.#ask);
      await anew.#begin();
      const expanded = await anew.#expandWhatIsHeld(names);
      this.#nodes = anew.#nodes;
      this.#edges = anew.#edges;
      this.#complete = anew.#complete;
      this.#cut = anew.#cut;
      this.#asked = anew.#asked;
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
      this.#dropForgotten();
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
    this.#asked.add(this.#from);
    this.#tell();
  }

  async #askAnew(): Promise<void> {
    const answer = await this.#ask(this.#from, FIRST);
    this.#merge(answer, () => true);
    this.#note(answer, FIRST);
  }

  async #expandEach(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const left = names.values();
    const asked: string[] = [];
    this.#work = { done: 0, all: names.length };
    this.#tell();
    const worker = async () => {
      for (const name of left) {
        if (this.#isStopped || this.#nodes.size >= NODES_MAX) return;
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
      const next = [...left].filter((name) => this.#named(name) !== undefined);
      if (next.length === 0) return expanded;
      for (const name of next) left.delete(name);
      expanded.push(...(await this.#expandEach(next)));
    }
  }

  /** Whether it had to be asked for: a record next to another that was expanded is often complete already. */
  async #expand(name: string): Promise<boolean> {
    const held = this.#named(name);
    if (held !== undefined && this.#isExpanded(held.id)) return false;
    this.#asked.add(name);
    try {
      const answer = await this.#ask(name, NEXT);
      this.#merge(answer, ({ distance }) => distance <= 1);
      this.#note(answer, NEXT);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (held !== undefined) this.#drop(held.id);
    }
    return true;
  }

  async #askAgainFor(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#askAgain(name);
  }

  async #askAgain(name: string): Promise<void> {
    const held = this.#named(name);
    try {
      const answer = await this.#ask(name, AGAIN);
      const [itself, ...others] = answer.nodes;
      if (itself === undefined) return;
      const isNext = others.some(({ durableId }) => this.#complete.has(durableId));
      if (!this.#nodes.has(itself.durableId) && !isNext) return;
      for (const edge of this.#edges.values()) if (edge.from === itself.durableId) this.#edges.delete(edge.key);
      const isComplete = this.#complete.has(itself.durableId);
      this.#merge(answer, ({ distance }) => distance === 0 || isComplete);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (held !== undefined) this.#drop(held.id);
    }
  }

  #merge({ nodes, edges }: Graph, isTaken: (node: Graph['nodes'][number]) => boolean): void {
    for (const node of nodes) {
      if (!this.#nodes.has(node.durableId) && (!isTaken(node) || this.#nodes.size >= NODES_MAX)) continue;
      this.#nodes.set(node.durableId, toNode(node));
    }
    for (const edge of edges.map(toEdge)) {
      if (this.#nodes.has(edge.from) && this.#nodes.has(edge.to)) this.#edges.set(edge.key, edge);
    }
  }

  /** Of which records all neighbours are held now. */
  #note({ nodes, edges, truncated }: Graph, asked: Around): void {
    const [itself] = nodes;
    if (itself === undefined) return;
    // Records are taken by distance: where there is one that is two away, all that are one away were taken.
    const hasAll = !truncated || nodes.some(({ distance }) => distance === 2);
    if (hasAll) this.#complete.add(itself.durableId);
    else if (asked === NEXT) this.#cut.add(itself.durableId);
    if (truncated) return;
    const open = new Set(
      edges.flatMap(({ from, to }) => [...(this.#nodes.has(to) ? [] : [from]), ...(this.#nodes.has(from) ? [] : [to])]),
    );
    for (const { durableId, distance } of nodes)
      if (distance === 1 && !open.has(durableId)) this.#complete.add(durableId);
  }

  #isExpanded(id: string): boolean {
    return this.#complete.has(id) || this.#cut.has(id);
  }

  #named(name: string): WalkNode | undefined {
    for (const node of this.#nodes.values()) if (node.name === name) return node;
    return undefined;
  }

  #drop(id: string): void {
    this.#nodes.delete(id);
    this.#complete.delete(id);
    this.#cut.delete(id);
    for (const edge of this.#edges.values()) if (edge.from === id || edge.to === id) this.#edges.delete(edge.key);
  }

  /** What is retracted goes when nothing that is held refers to it any more. */
  #dropForgotten(): void {
    const referred = new Set([...this.#edges.values()].map(({ to }) => to));
    for (const { id, name, isRetracted } of this.#nodes.values()) {
      if (isRetracted && !referred.has(id) && name !== this.#from) this.#drop(id);
    }
  }

  #take(): WalkState {
    return {
      nodes: this.#nodes,
      edges: this.#edges,
      complete: this.#complete,
      cut: this.#cut,
      work: this.#work,
      problem: this.#problem,
      isFull: this.#nodes.size >= NODES_MAX,
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
