// The colours of the page, for what is drawn and not styled.

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

// Which shape has which place and colour: by its place among the shapes of the repository, so that both are the same in every
// graph and at every sequence. The colours are in look/graph-colour.css; shapes beyond them share the last.

export const COLOURS = 10;

export interface ShapeCount {
  readonly shape: string;
  readonly count: number;
  /** The number of its colour, from 1. */
  readonly colour: number;
}

/** In the order of `known`, the shapes of the repository; what is not among them comes after. */
export function countShapes({ nodes }: Pick<WalkState, 'nodes'>, known: readonly string[]): ShapeCount[] {
  const counts = new Map<string, number>();
  for (const { shape } of nodes.values()) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  const order = [...new Set([...known, ...counts.keys()])];
  return order.flatMap((shape, place) => {
    const count = counts.get(shape);
    return count === undefined ? [] : [{ shape, count, colour: Math.min(place + 1, COLOURS) }];
  });
}

// How each node and edge of the graph looks: by its shape, and by what of it is chosen, left out or changed.

export interface Marks {
  readonly selected: string | undefined;
  /** The record that the walk begins at. */
  readonly start: string | undefined;
  readonly without: ReadonlySet<string>;
  /** Names of what changed a moment ago. */
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

/** What one node or edge is seen among. */
export interface Scene {
  readonly marks: Marks;
  readonly look: Look;
  /** Records that are tied to the one that is chosen. */
  readonly near: ReadonlySet<string>;
  /** How many records there are. */
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
/** Among so few all are named where there is room. */
const NAMED_ALL = 200;
/** The neighbours of a record with more of them are not all named: the names would cover each other. */
const NAMED_NEAR = 30;

/** The record that the walk begins at is always named, and has a ring, which is drawn with the name. */
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

/** `isTied`: to the record that is chosen. */
export function edgeLook({ label }: EdgeAttributes, isTied: boolean, scene: Scene): Partial<EdgeDisplayData> {
  const { marks, look, near } = scene;
  if (marks.selected === undefined) return { color: look.line, size: 1, label: null };
  if (!isTied) return { color: look.faint, size: 1, label: null, zIndex: 0 };
  return { color: look.accent, size: 2, label, forceLabel: near.size <= NAMED_NEAR, zIndex: 1 };
}
