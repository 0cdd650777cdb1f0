// What a walk holds: records, the references between them, and of which records all neighbours are there.
import type { Graph } from '@cairn/sdk';
import { toEdge, toNode, type WalkEdge, type WalkNode } from './walk-state.ts';

/** A graph of more is neither drawn smoothly nor read by anybody. */
export const NODES_MAX = 10_000;

type Part = Pick<Graph, 'nodes' | 'edges'>;

export class Held {
  readonly nodes = new Map<string, WalkNode>();
  readonly edges = new Map<string, WalkEdge>();
  readonly complete = new Set<string>();
  readonly cut = new Set<string>();
  /** Whether not all was taken of what the walk begins with. */
  #isBegunInPart = false;

  get isFull(): boolean {
    return this.nodes.size >= NODES_MAX;
  }

  /** Whether something is left out of what is two references away from where the walk begins. */
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

  merge({ nodes, edges }: Part, isTaken: (node: Graph['nodes'][number]) => boolean): void {
    for (const node of nodes) {
      if (!this.nodes.has(node.durableId) && (!isTaken(node) || this.isFull)) continue;
      this.nodes.set(node.durableId, toNode(node));
    }
    for (const edge of edges.map(toEdge)) {
      if (this.nodes.has(edge.from) && this.nodes.has(edge.to)) this.edges.set(edge.key, edge);
    }
  }

  /** What the walk begins with. */
  noteFirst(answer: Graph): void {
    const [itself] = answer.nodes;
    this.#isBegunInPart = answer.truncated;
    // After a change there may be more around it than were taken.
    if (itself !== undefined && !this.#note(answer)) this.complete.delete(itself.durableId);
  }

  /** What was asked for to expand a record. */
  noteExpanded(answer: Graph): void {
    const [itself] = answer.nodes;
    if (itself !== undefined && !this.#note(answer)) this.cut.add(itself.durableId);
  }

  noteComplete(id: string): void {
    this.cut.delete(id);
    // Of a graph that is full some were left out.
    if (!this.isFull) this.complete.add(id);
  }

  /** Of which records all neighbours are held now; whether the one that was asked for is among them. */
  #note({ nodes, edges, truncated }: Graph): boolean {
    const [itself] = nodes;
    // Records are taken by distance: where there is one that is two away, all that are one away were taken.
    const hasAll = !truncated || nodes.some(({ distance }) => distance === 2);
    if (hasAll && itself !== undefined) this.complete.add(itself.durableId);
    if (truncated) return hasAll;
    const open = new Set(
      edges.flatMap(({ from, to }) => [...(this.nodes.has(to) ? [] : [from]), ...(this.nodes.has(from) ? [] : [to])]),
    );
    for (const { durableId, distance } of nodes)
      if (distance === 1 && !open.has(durableId)) this.complete.add(durableId);
    return hasAll;
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

  /** What is retracted goes when nothing that is held refers to it any more. */
  dropForgotten(from: string): void {
    const referred = new Set([...this.edges.values()].map(({ to }) => to));
    for (const { id, name, isRetracted } of this.nodes.values()) {
      if (isRetracted && !referred.has(id) && name !== from) this.drop(id);
    }
  }
}
