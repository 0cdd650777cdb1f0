import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types';
import type { Ringed } from './ringed-arrow.ts';
import type { WalkState } from './walk-state.ts';

export interface Look {
  readonly ink: string;
  readonly quiet: string;
  readonly paper: string;
  readonly line: string;
  readonly faint: string;
  readonly accent: string;
  readonly font: string;
  readonly shapes: readonly string[];
}

export function readLook(element: HTMLElement): Look {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour('ink'),
    quiet: colour('quiet'),
    paper: colour('paper'),
    line: colour('graph-line'),
    faint: colour('line'),
    accent: colour('accent'),
    font: style.fontFamily,
    shapes: Array.from({ length: COLOURS }, (_, index) => colour(`shape-${index + 1}`)),
  };
}

// Shapes keep their colour in every graph. Shapes beyond ten share the last.

export const COLOURS = 10;

export interface ShapeCount {
  readonly shape: string;
  readonly count: number;
  readonly colour: number;
}

export function countShapes({ nodes }: Pick<WalkState, 'nodes'>, known: readonly string[]): ShapeCount[] {
  const counts = new Map<string, number>();
  for (const { shape } of nodes.values()) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  const order = [...new Set([...known, ...counts.keys()])];
  return order.flatMap((shape, place) => {
    const count = counts.get(shape);
    return count === undefined ? [] : [{ shape, count, colour: Math.min(place + 1, COLOURS) }];
  });
}

export interface Marks {
  readonly selected: string | undefined;
  readonly start: string | undefined;
  readonly without: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  readonly shapes: readonly ShapeCount[];
}

export const UNMARKED: Marks = {
  selected: undefined,
  start: undefined,
  without: new Set(),
  changed: new Set(),
  shapes: [],
};

export interface Scene {
  readonly marks: Marks;
  readonly look: Look;
  readonly near: ReadonlySet<string>;
  readonly count: number;
}

export interface NodeAttributes {
  x: number;
  y: number;
  size: number;
  label: string;
  name: string;
  shape: string;
  isRetracted: boolean;
}

export interface EdgeAttributes {
  label: string;
}

const ABOVE_ALL = 100;
const NAMED_ALL = 200;
const NAMED_NEAR = 30;

export function nodeLook(id: string, node: NodeAttributes, scene: Scene): Partial<NodeDisplayData> & Ringed {
  const among = lookAmongOthers(id, node, scene);
  if (id === scene.marks.start) return { ...among, label: node.label, forceLabel: true, ring: 'start' };
  return node.isRetracted ? { ...among, color: scene.look.paper, forceLabel: true, ring: 'retracted' } : among;
}

function lookAmongOthers(id: string, node: NodeAttributes, scene: Scene): Partial<NodeDisplayData> {
  const { x, y, size, label, name, shape } = node;
  const { marks, look, near, count } = scene;
  const byItself = {
    x,
    y,
    size,
    label,
    color: colourOf(shape, scene),
    hidden: marks.without.has(shape),
    forceLabel: count <= NAMED_ALL,
    zIndex: size,
  };
  const raised = { ...byItself, size: size + 3, highlighted: true, forceLabel: true };
  if (id === marks.selected) return { ...raised, zIndex: ABOVE_ALL };
  if (marks.changed.has(name)) return raised;
  if (marks.selected === undefined) return byItself;
  if (near.has(id)) return { ...byItself, forceLabel: near.size <= NAMED_NEAR, zIndex: ABOVE_ALL };
  return { ...byItself, color: look.line, label: null, zIndex: 0 };
}

function colourOf(shape: string, { marks, look }: Scene): string {
  const { colour = look.shapes.length } = marks.shapes.find((one) => one.shape === shape) ?? {};
  return look.shapes[colour - 1] ?? look.quiet;
}

export function edgeLook({ label }: EdgeAttributes, isTied: boolean, scene: Scene): Partial<EdgeDisplayData> {
  const { marks, look, near } = scene;
  if (marks.selected === undefined) return { color: look.line, size: 1, label: null };
  if (!isTied) return { color: look.faint, size: 1, label: null, zIndex: 0 };
  return { color: look.accent, size: 2, label, forceLabel: near.size <= NAMED_NEAR, zIndex: 1 };
}
