// What a record in the graph is tied to.
import { fieldText } from '../record/path-text.ts';
import type { WalkNode, WalkState } from './walk-state.ts';

export interface Neighbour {
  readonly node: WalkNode;
  /** `out`: the record refers to it. */
  readonly direction: 'in' | 'out';
  /** Of the reference. */
  readonly key: string;
  /** By what: the role, or which field. */
  readonly label: string;
}

export const labelOf = ({ role, path }: { readonly role: string; readonly path: string }): string =>
  role === 'field' ? fieldText(path) : role;

/** Once for each reference. */
export function neighboursOf({ nodes, edges }: Pick<WalkState, 'nodes' | 'edges'>, id: string): Neighbour[] {
  const found: Neighbour[] = [];
  for (const edge of edges.values()) {
    if (edge.from !== id && edge.to !== id) continue;
    const direction = edge.from === id ? 'out' : 'in';
    const node = nodes.get(direction === 'out' ? edge.to : edge.from);
    if (node !== undefined) found.push({ node, direction, key: edge.key, label: labelOf(edge) });
  }
  return found;
}
