import type { Graph, ListedRecord } from '@cairn/sdk';
import { fieldText } from '../../ui/path-text.ts';

export interface WalkNode {
  readonly id: string;
  readonly name: string;
  readonly kind: Graph['nodes'][number]['kind'];
  readonly shape: string;
  readonly isRetracted: boolean;
}

export interface WalkEdge {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly role: string;
  readonly path: string;
}

export interface WalkState {
  readonly nodes: ReadonlyMap<string, WalkNode>;
  readonly edges: ReadonlyMap<string, WalkEdge>;
  readonly complete: ReadonlySet<string>;
  readonly cut: ReadonlySet<string>;
  readonly work?: { readonly done: number; readonly all: number } | undefined;
  readonly problem?: unknown;
  readonly isFull: boolean;
  readonly isPart: boolean;
}

/** Shapes have no shape. No shape can have this name. */
const NO_SHAPE = '(shapes)';

export const toNode = ({
  durableId: id,
  wref: name,
  kind,
  shapeName: shape = NO_SHAPE,
  active,
}: Graph['nodes'][number]): WalkNode => ({ id, name, kind, shape, isRetracted: !active });

export const toEdge = ({ from, to, role, path }: Graph['edges'][number]): WalkEdge => ({
  key: `${from} ${to} ${role} ${path}`,
  from,
  to,
  role,
  path,
});

export function wholeState({ nodes, edges }: Pick<Graph, 'nodes' | 'edges'>): WalkState {
  const held = new Map(nodes.map((node) => [node.durableId, toNode(node)]));
  return {
    nodes: held,
    edges: new Map(edges.map(toEdge).map((edge) => [edge.key, edge])),
    complete: new Set(held.keys()),
    cut: new Set(),
    isFull: false,
    isPart: false,
  };
}

export interface Neighbour {
  readonly node: WalkNode;
  readonly direction: 'in' | 'out';
  readonly key: string;
  readonly label: string;
}

export const labelOf = ({ role, path }: { readonly role: string; readonly path: string }): string =>
  role === 'field' ? fieldText(path) : role;

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

/** Long addresses are cut by other programs. Records beyond this are not restored on reload. */
const NAMES_MOST = 50;
const CHARACTERS_MOST = 4_000;

export function openedWithin(names: readonly string[]): string[] {
  const kept: string[] = [];
  let characters = 0;
  for (const name of new Set(names)) {
    characters += name.length;
    if (kept.length === NAMES_MOST || characters > CHARACTERS_MOST) break;
    kept.push(name);
  }
  return kept;
}

export interface ShownPart {
  readonly nodes: readonly WalkNode[];
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

export function countsOf({ nodes, edges }: Pick<WalkState, 'nodes' | 'edges'>, shown: ShownPart): string {
  const retracted = shown.nodes.filter(({ isRetracted }) => isRetracted).length;
  const part = (count: number, all: number, one: string) =>
    `${count < all ? `${number(count)} of ` : ''}${number(all)} ${all === 1 ? one : `${one}s`}`;
  const records = part(shown.nodes.length, nodes.size, 'record');
  const told = retracted === 0 ? records : `${records} (${number(retracted)} retracted)`;
  return `${told}, ${part(shown.references, edges.size, 'reference')}`;
}

/** A typed name wins, then a single result. Unknown names with a slash are tried too: they may be old or retracted. */
export function startAmong(found: readonly Pick<ListedRecord, 'name'>[], asked: string): string | undefined {
  const [first, ...others] = found;
  if (found.some(({ name }) => name === asked)) return asked;
  if (first === undefined) return asked.includes('/') ? asked : undefined;
  return others.length === 0 ? first.name : undefined;
}
