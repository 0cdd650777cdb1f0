// Layered layout of shapes: references point right where possible. Long lines get a lane in each column, so that they
// do not cross boxes.

export interface Line {
  readonly from: string;
  readonly to: string;
  /** Assertions of `from` are about records of `to`. */
  readonly isAbout?: boolean;
}

export interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly boxes: readonly Box[];
  readonly lines: readonly (Line & { readonly curve: string })[];
  readonly width: number;
  readonly height: number;
}

export const BOX = { width: 168, height: 34 };
const GAP = { x: 84, y: 18 };
const LANE_HEIGHT = 4;
const MARGIN = 28;
const ROUNDS = 8;

interface Slot {
  readonly key: string;
  readonly name?: string;
}

interface Placed extends Slot {
  readonly x: number;
  readonly y: number;
}

interface Route {
  readonly line: Line;
  readonly keys: readonly string[];
}

export function layOut(references: readonly Line[]): Layout {
  if (references.length === 0) return { boxes: [], lines: [], width: 0, height: 0 };
  const lines = uniqueLines(references);
  const named = columnsOf(lines);
  const routes = routesOf(lines, named);
  const columns = ordered(withLanes(named, routes), routes);
  const tallest = Math.max(...columns.map(heightOf));
  const placed = columns.flatMap((slots, column) => placeColumn(slots, { column, tallest }));
  const places = new Map(placed.map((slot) => [slot.key, slot]));
  const ports = portsOf(routes, places);
  return {
    boxes: placed.flatMap(({ name, x, y }) => (name === undefined ? [] : [{ name, x, y: y - BOX.height / 2 }])),
    lines: routes.map((route) => ({ ...route.line, curve: curveOf(route, places, ports) })),
    width: 2 * MARGIN + columns.length * (BOX.width + GAP.x) - GAP.x,
    height: 2 * MARGIN + tallest,
  };
}

const slotHeight = ({ name }: Slot): number => (name === undefined ? LANE_HEIGHT : BOX.height);

const heightOf = (slots: readonly Slot[]): number =>
  slots.reduce((sum, slot) => sum + slotHeight(slot) + GAP.y, -GAP.y);

function placeColumn(slots: readonly Slot[], { column, tallest }: { column: number; tallest: number }): Placed[] {
  const x = MARGIN + column * (BOX.width + GAP.x);
  let top = MARGIN + (tallest - heightOf(slots)) / 2;
  return slots.map((slot) => {
    const y = top + slotHeight(slot) / 2;
    top += slotHeight(slot) + GAP.y;
    return { ...slot, x, y };
  });
}

const lineKey = ({ from, to, isAbout = false }: Line): string => `${from} ${to} ${isAbout}`;

function uniqueLines(references: readonly Line[]): readonly Line[] {
  const lines = references.map(({ from, to, isAbout }): Line => ({ from, to, ...(isAbout && { isAbout }) }));
  return [...new Map(lines.map((line) => [lineKey(line), line])).values()];
}

/** Shape names have no spaces. */
const laneKey = (line: Line, column: number): string => `${lineKey(line)} ${column}`;

function routesOf(lines: readonly Line[], columns: readonly (readonly string[])[]): Route[] {
  const columnOf = new Map(columns.flatMap((names, column) => names.map((name) => [name, column] as const)));
  return lines.map((line) => {
    const [begin, end] = [columnOf.get(line.from) ?? 0, columnOf.get(line.to) ?? 0];
    const between = Array.from({ length: Math.max(0, Math.abs(end - begin) - 1) }, (_, index) =>
      laneKey(line, begin < end ? begin + index + 1 : begin - index - 1),
    );
    return { line, keys: [line.from, ...between, line.to] };
  });
}

function withLanes(columns: readonly (readonly string[])[], routes: readonly Route[]): Slot[][] {
  const lanes = routes.flatMap(({ keys }) => keys.slice(1, -1));
  return columns.map((names, column) => [
    ...names.map((name) => ({ key: name, name })),
    ...lanes.filter((key) => key.endsWith(` ${column}`)).map((key) => ({ key })),
  ]);
}

function ordered(columns: Slot[][], routes: readonly Route[]): Slot[][] {
  const neighbours = new Map<string, string[]>();
  const tie = (one: string, other: string) => neighbours.set(one, [...(neighbours.get(one) ?? []), other]);
  for (const { keys } of routes) {
    for (const [index, key] of keys.slice(1).entries()) {
      tie(key, keys[index] ?? key);
      tie(keys[index] ?? key, key);
    }
  }
  let current = columns;
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = new Map(
      current.flatMap((slots) => slots.map(({ key }, row) => [key, row - slots.length / 2] as const)),
    );
    const middle = ({ key }: Slot) => meanOf((neighbours.get(key) ?? []).map((other) => rows.get(other) ?? 0));
    current = current.map((slots) => slots.toSorted((one, other) => middle(one) - middle(other)));
  }
  return current;
}

const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

type Ports = ReadonlyMap<string, number>;
const portKey = (line: Line, name: string): string => `${lineKey(line)} at ${name}`;

function portsOf(routes: readonly Route[], places: ReadonlyMap<string, Placed>): Ports {
  const ends = routes.flatMap(({ line, keys }) => {
    if (line.from === line.to) return [];
    const [second, last] = [places.get(keys[1] ?? ''), places.get(keys.at(-2) ?? '')];
    const isForward = (places.get(line.to)?.x ?? 0) > (places.get(line.from)?.x ?? 0);
    return [
      { line, name: line.from, side: isForward ? 'right' : 'left', toward: second?.y ?? 0 },
      { line, name: line.to, side: isForward ? 'left' : 'right', toward: last?.y ?? 0 },
    ];
  });
  const bySide = Map.groupBy(ends, ({ name, side }) => `${name} ${side}`);
  return new Map(
    [...bySide.values()].flatMap((group) =>
      group
        .toSorted((one, other) => one.toward - other.toward)
        .map(({ line, name }, index, { length }) => {
          const middle = places.get(name)?.y ?? 0;
          return [portKey(line, name), middle + ((index + 1) / (length + 1) - 0.5) * BOX.height] as const;
        }),
    ),
  );
}

function curveOf({ line, keys }: Route, places: ReadonlyMap<string, Placed>, ports: Ports): string {
  const slots = keys.flatMap((key) => places.get(key) ?? []);
  const [from, to] = [slots[0], slots.at(-1)];
  if (from === undefined || to === undefined) return '';
  if (from === to) return loopOver(from, line.isAbout ? BOX.width / 2 : 0);
  const isForward = to.x > from.x;
  const heightAt = (slot: Placed) => ports.get(portKey(line, slot.name ?? '')) ?? slot.y;
  const leaves = ({ x }: Placed) => (isForward ? x + BOX.width : x);
  const enters = ({ x }: Placed) => (isForward ? x : x + BOX.width);
  const bend = GAP.x * (isForward ? 0.6 : -0.6);
  const steps = slots.slice(1).map((slot, index) => {
    const before = slots[index] ?? slot;
    const [x0, y0, x1, y1] = [leaves(before), heightAt(before), enters(slot), heightAt(slot)];
    const curve = `C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`;
    return slot === to ? curve : `${curve} L${leaves(slot)} ${y1}`;
  });
  return [`M${leaves(from)} ${heightAt(from)}`, ...steps].join(' ');
}

function loopOver({ x, y }: Placed, fromRight: number): string {
  const [right, top] = [x + BOX.width - fromRight, y - BOX.height / 2];
  return `M${right - 48} ${top} C${right - 52} ${top - 20} ${right - 12} ${top - 20} ${right - 16} ${top}`;
}

/** Each name stands right of all that refer to it. References that close a circle are ignored. */
export function columnsOf(lines: readonly Line[]): string[][] {
  const names = [...new Set(lines.flatMap(({ from, to }) => [from, to]))].sort();
  const forward = withoutCircles(names, lines);
  const column = new Map(names.map((name) => [name, 0]));
  // A path is at most as long as there are names.
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
