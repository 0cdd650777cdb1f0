// Where the shapes of a diagram stand: who refers stands left of what it refers to, as far as references do not go in a
// circle, and neighbours stand near each other.

export interface Line {
  readonly from: string;
  readonly to: string;
}

export interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly boxes: readonly Box[];
  /** Each pair once, with the path of its curve. */
  readonly lines: readonly (Line & { readonly curve: string })[];
  readonly width: number;
  readonly height: number;
}

export const BOX = { width: 168, height: 34 };
const GAP = { x: 84, y: 18 };
const MARGIN = 28;
/** How often neighbours are drawn nearer to each other. */
const ROUNDS = 4;

/** Of all that refer or are referred to; a shape that stands alone has no place in a diagram of references. */
export function layOut(references: readonly Line[]): Layout {
  if (references.length === 0) return { boxes: [], lines: [], width: 0, height: 0 };
  const lines = uniqueLines(references);
  const columns = ordered(columnsOf(lines), lines);
  const tallest = Math.max(...columns.map((names) => names.length));
  const heightOf = (count: number) => count * (BOX.height + GAP.y) - GAP.y;
  const boxes = columns.flatMap((names, column) => {
    const top = MARGIN + (heightOf(tallest) - heightOf(names.length)) / 2;
    const x = MARGIN + column * (BOX.width + GAP.x);
    return names.map((name, row) => ({ name, x, y: top + row * (BOX.height + GAP.y) }));
  });
  const places = new Map(boxes.map((box) => [box.name, box]));
  return {
    boxes,
    lines: lines.map((line) => ({ ...line, curve: curveOf(places.get(line.from), places.get(line.to)) })),
    width: 2 * MARGIN + columns.length * (BOX.width + GAP.x) - GAP.x,
    height: 2 * MARGIN + heightOf(tallest),
  };
}

function uniqueLines(references: readonly Line[]): readonly Line[] {
  return [...new Map(references.map(({ from, to }) => [`${from} ${to}`, { from, to }])).values()];
}

/** Names by column: each stands right of all that refer to it, but for references that close a circle. */
function columnsOf(lines: readonly Line[]): string[][] {
  const names = [...new Set(lines.flatMap(({ from, to }) => [from, to]))].sort();
  const forward = withoutCircles(names, lines);
  const column = new Map(names.map((name) => [name, 0]));
  // A path is at most as long as there are names; most are settled after a few rounds.
  for (let round = 0, moved = true; moved && round < names.length; round += 1) {
    moved = false;
    for (const { from, to } of forward) {
      const least = (column.get(from) ?? 0) + 1;
      if ((column.get(to) ?? 0) >= least) continue;
      column.set(to, least);
      moved = true;
    }
  }
  const byColumn = Map.groupBy(names, (name) => column.get(name) ?? 0);
  return [...byColumn.keys()].sort((one, other) => one - other).map((key) => byColumn.get(key) ?? []);
}

/** Without those that lead back to where a walk came from. */
function withoutCircles(names: readonly string[], lines: readonly Line[]): Line[] {
  const from = Map.groupBy(lines, (line) => line.from);
  const state = new Map<string, 'open' | 'done'>();
  const forward: Line[] = [];
  const walk = (name: string): void => {
    state.set(name, 'open');
    for (const line of from.get(name) ?? []) {
      if (state.get(line.to) === 'open') continue;
      forward.push(line);
      if (!state.has(line.to)) walk(line.to);
    }
    state.set(name, 'done');
  };
  for (const name of names) if (!state.has(name)) walk(name);
  return forward;
}

/** Each column by where the neighbours of its names stand. */
function ordered(columns: string[][], lines: readonly Line[]): string[][] {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of lines) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  let current = columns;
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = new Map(current.flatMap((names) => names.map((name, row) => [name, row - names.length / 2] as const)));
    const middle = (name: string) => meanOf((neighbours.get(name) ?? []).map((other) => rows.get(other) ?? 0));
    current = current.map((names) => names.toSorted((one, other) => middle(one) - middle(other)));
  }
  return current;
}

const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

/** From the right side of one box to the left side of the other; backwards from left to right; to itself over its top. */
function curveOf(from: Box | undefined, to: Box | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [fromY, toY] = [from.y + BOX.height / 2, to.y + BOX.height / 2];
  const [left, right] = [from.x, from.x + BOX.width];
  if (from === to)
    return `M${right - 48} ${from.y} C${right - 52} ${from.y - 20} ${right - 12} ${from.y - 20} ${right - 16} ${from.y}`;
  const bend = GAP.x * 0.6;
  if (to.x > from.x) return `M${right} ${fromY} C${right + bend} ${fromY} ${to.x - bend} ${toY} ${to.x} ${toY}`;
  const end = to.x + BOX.width;
  return `M${left} ${fromY} C${left - bend} ${fromY} ${end + bend} ${toY} ${end} ${toY}`;
}
