// What is shown of what is held: shapes can be left out.
import type { WalkNode, WalkState } from './walk-state.ts';

export interface ShownPart {
  readonly nodes: readonly WalkNode[];
  /** How many references have both ends among them. */
  readonly references: number;
}

export function shownOf({ nodes, edges }: Pick<WalkState, 'nodes' | 'edges'>, without: ReadonlySet<string>): ShownPart {
  const isShown = (id: string) => {
    const node = nodes.get(id);
    return node !== undefined && !without.has(node.shape);
  };
  const all = [...nodes.values()];
  const references = [...edges.values()].filter(({ from, to }) => isShown(from) && isShown(to)).length;
  return { nodes: all.filter(({ shape }) => !without.has(shape)), references };
}

const number = (count: number) => count.toLocaleString('en');

/** `8 records (1 retracted), 7 references`; where shapes are left out, `6 of 8 records, 4 of 7 references`. */
export function countsOf({ nodes, edges }: Pick<WalkState, 'nodes' | 'edges'>, shown: ShownPart): string {
  const retracted = shown.nodes.filter(({ isRetracted }) => isRetracted).length;
  const part = (count: number, all: number, one: string) =>
    `${count < all ? `${number(count)} of ` : ''}${number(all)} ${all === 1 ? one : `${one}s`}`;
  const records = part(shown.nodes.length, nodes.size, 'record');
  const told = retracted === 0 ? records : `${records} (${number(retracted)} retracted)`;
  return `${told}, ${part(shown.references, edges.size, 'reference')}`;
}
