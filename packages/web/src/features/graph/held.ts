import type { Graph } from '@cairn/sdk';
import { toEdge, toNode, type WalkEdge, type WalkNode } from './walk-state.ts';

export const NODES_MAX = 10_000;

type GraphPart = Pick<Graph, 'nodes' | 'edges'>;

export class Held {
  readonly nodes = new Map<string, WalkNode>();
  readonly edges = new Map<string, WalkEdge>();
  readonly complete = new Set<string>();
  readonly cut = new Set<string>();
  #isBegunInPart = false;

  get isFull(): boolean {
    return this.nodes.size >= NODES_MAX;
  }

  isPart(from: string): boolean {
    const start = this.named(from);
    if (!this.#isBegunInPart || start === undefined) return false;
    if (!this.complete.has(start.id)) return true;
    for (const { from: one, to: other } of this.edges.values()) {
      if (one === start.id && !this.complete.has(other)) return true;
      if (other === start.id && !this.complete.has(one)) return true;
    }
    return false;
  }

  merge({ nodes, edges }: GraphPart, isTaken: (node: Graph['nodes'][number]) => boolean): void {
    for (const node of nodes) {
      if (!this.nodes.has(node.durableId) && (!isTaken(node) || this.isFull)) continue;
      this.nodes.set(node.durableId, toNode(node));
    }
    for (const edge of edges.map(toEdge)) {
      if (this.nodes.has(edge.from) && this.nodes.has(edge.to)) this.edges.set(edge.key, edge);
    }
  }

  noteFirst(answer: Graph, depth: number): void {
    const [itself] = answer.nodes;
    this.#isBegunInPart = answer.truncated;
    // After a change more may be around it than were taken.
    if (itself !== undefined && !this.#note(answer, knownIn(answer, depth))) this.complete.delete(itself.durableId);
  }

  // Adds the neighbours of the requested record, and of those `among` that the answer completes. Returns the names of
  // those that brought something.
  expandFrom(
    answer: Graph,
    { depth, among }: { readonly depth: number; readonly among: ReadonlySet<string> },
  ): string[] {
    const [itself] = answer.nodes;
    const known = knownIn(answer, depth);
    const others = new Map(
      answer.nodes
        .filter(({ durableId, wref }) => durableId !== itself?.durableId && known.has(durableId) && among.has(wref))
        .map(({ durableId, wref }) => [durableId, wref]),
    );
    const brought = new Set<string>();
    const near = new Set<string>();
    for (const { from, to } of answer.edges.flatMap((edge) => [edge, { from: edge.to, to: edge.from }])) {
      const name = others.get(from);
      if (name === undefined) continue;
      near.add(to);
      if (!this.nodes.has(to)) brought.add(name);
    }
    this.merge(answer, ({ durableId, distance }) => distance <= 1 || near.has(durableId));
    if (itself !== undefined && !this.#note(answer, known)) this.cut.add(itself.durableId);
    return [...brought];
  }

  noteIfHeld(answer: Graph, depth: number): void {
    if (!answer.nodes.every(({ durableId }) => this.nodes.has(durableId))) return;
    this.merge(answer, () => false);
    this.#note(answer, knownIn(answer, depth));
  }

  noteComplete(id: string): void {
    this.cut.delete(id);
    if (!this.isFull) this.complete.add(id);
  }

  #note({ nodes, edges }: Graph, known: ReadonlySet<string>): boolean {
    const open = new Set(
      edges.flatMap(({ from, to }) => [...(this.nodes.has(to) ? [] : [from]), ...(this.nodes.has(from) ? [] : [to])]),
    );
    const [itself] = nodes;
    for (const { durableId } of nodes) {
      if (!known.has(durableId) || !this.nodes.has(durableId)) continue;
      if (durableId === itself?.durableId || !open.has(durableId)) this.complete.add(durableId);
    }
    return itself !== undefined && known.has(itself.durableId);
  }

  isExpanded(id: string): boolean {
    return this.complete.has(id) || this.cut.has(id);
  }

  named(name: string): WalkNode | undefined {
    for (const node of this.nodes.values()) if (node.name === name) return node;
    return undefined;
  }

  drop(id: string): void {
    this.nodes.delete(id);
    this.complete.delete(id);
    this.cut.delete(id);
    for (const edge of this.edges.values()) if (edge.from === id || edge.to === id) this.edges.delete(edge.key);
  }

  dropReferencesOf(id: string): void {
    for (const edge of this.edges.values()) if (edge.from === id) this.edges.delete(edge.key);
  }

  dropForgotten(from: string): void {
    const referred = new Set([...this.edges.values()].map(({ to }) => to));
    for (const { id, name, isRetracted } of this.nodes.values()) {
      if (isRetracted && !referred.has(id) && name !== from) this.drop(id);
    }
  }
}

/** The server's limit: a full answer may lack any reference. */
const REFERENCES_MOST = 5_000;

/** Records of an answer that has all their neighbours. A truncated answer lacks only the farthest distance. */
function knownIn({ nodes, edges, truncated }: Graph, depth: number): Set<string> {
  const whole = truncated ? (nodes.at(-1)?.distance ?? 0) - 1 : depth;
  const reach = edges.length < REFERENCES_MOST ? whole : Math.min(whole, 1);
  return new Set(nodes.filter(({ distance }) => distance < reach).map(({ durableId }) => durableId));
}
