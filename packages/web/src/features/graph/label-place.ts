// Places labels so that they cover neither each other nor nodes, and rarely arrows. Labels without room are left out.

export interface Tie {
  readonly x: number;
  readonly y: number;
  readonly isArrival: boolean;
}

export interface NamedNode extends Disc {
  readonly width: number;
  readonly shortWidth?: number | undefined;
  readonly isNeeded?: boolean;
  readonly ties?: readonly Tie[];
}

const BESIDE_PX = 3;
const DIAGONAL = 0.75;
/** Labels need more distance at corners, where their node is less obvious. */
const GAP_PX = { side: 8, corner: 16 };

interface LabelChoice {
  readonly place: Rectangle;
  readonly gap: number;
  readonly cost: number;
}

export function placeNames(
  named: readonly NamedNode[],
  { room, height, taken = new TakenRoom(room) }: { room: Room; height: number; taken?: TakenRoom },
): (Rectangle | undefined)[] {
  for (const one of named) taken.addDisc(one);
  const placeBeside = (one: NamedNode, width: number) => {
    const free = choicesOf({ ...one, width }, { room, height }).filter(({ place }) => taken.isFree(place));
    const clear = free.filter(({ place, gap }) => taken.isClear(place, { own: one, gap }));
    return best(clear) ?? (one.isNeeded ? placeAnyway(one, { free, taken }) : undefined);
  };
  return named.map((one) => {
    const { width, shortWidth } = one;
    if (width === 0 || !isInside(one, room)) return undefined;
    const short = () => (shortWidth === undefined ? undefined : placeBeside(one, shortWidth));
    const place = placeBeside(one, width) ?? short();
    if (place !== undefined) taken.addName(place);
    return place;
  });
}

export const isInside = ({ x, y }: Pick<Disc, 'x' | 'y'>, room: Room): boolean =>
  x >= 0 && y >= 0 && x <= room.width && y <= room.height;

const best = (choices: readonly LabelChoice[]): Rectangle | undefined =>
  choices.reduce<LabelChoice | undefined>((least, one) => (least && least.cost <= one.cost ? least : one), undefined)
    ?.place;

const placeAnyway = (own: NamedNode, { free, taken }: { free: readonly LabelChoice[]; taken: TakenRoom }) =>
  best(free.filter(({ place }) => taken.isClear(place, { own }))) ?? free[0]?.place;

function choicesOf(named: NamedNode, { room, height }: { room: Room; height: number }): LabelChoice[] {
  const { x, y, size, width } = named;
  const [away, middle] = [size + BESIDE_PX, y - height / 2];
  const [right, left] = [x + size * DIAGONAL, x - size * DIAGONAL - width];
  const [below, above] = [y + size * DIAGONAL, y - size * DIAGONAL - height];
  const centred = Math.max(MARGIN_PX, Math.min(x - width / 2, room.width - MARGIN_PX - width));
  const ends = endsOf(named);
  const choose = (gap: number, [left, top]: readonly [number, number]): LabelChoice => {
    const place = { left, top, width, height };
    return { place, gap, cost: costOf(place, ends) + (gap === GAP_PX.corner ? 1 : 0) };
  };
  const sides = [
    [x + away, middle],
    [x - away - width, middle],
    [centred, y + away],
    [centred, y - away - height],
  ] as const;
  const corners = [
    [right, below],
    [right, above],
    [left, below],
    [left, above],
  ] as const;
  return [
    ...sides.map((corner) => choose(GAP_PX.side, corner)),
    ...corners.map((corner) => choose(GAP_PX.corner, corner)),
  ];
}

interface End extends Disc {
  readonly isArrival: boolean;
}

const END_PX = 5;

const endsOf = ({ x, y, size, ties = [] }: NamedNode): End[] =>
  ties.map((tie) => {
    const length = Math.hypot(tie.x - x, tie.y - y);
    const share = length === 0 ? 0 : (size + END_PX) / length;
    return { x: x + (tie.x - x) * share, y: y + (tie.y - y) * share, size: END_PX, isArrival: tie.isArrival };
  });

/** Hiding an arrow head loses its direction. */
const costOf = (place: Rectangle, ends: readonly End[]): number =>
  ends.reduce((sum, end) => sum + (isOver(place, end) ? (end.isArrival ? 2 : 1) : 0), 0);

const SHARES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

export function placeOnEdge(
  { from, to, width }: { from: Disc; to: Disc; width: number },
  { height, taken }: { readonly height: number; readonly taken: TakenRoom },
): Rectangle | undefined {
  const place = SHARES.map((share) => ({
    left: from.x + (to.x - from.x) * share - width / 2,
    top: from.y + (to.y - from.y) * share - height / 2,
    width,
    height,
  })).find((one) => taken.isFree(one) && taken.isClear(one));
  if (place !== undefined) taken.addName(place);
  return place;
}

// A grid of taken room, so that only nearby nodes are compared.

export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Room {
  readonly width: number;
  readonly height: number;
}

const CELL_PX = 64;
const ROW = 10_000;
export const MARGIN_PX = 6;

export class TakenRoom {
  readonly #room: Room;
  readonly #names = new Map<number, Rectangle[]>();
  readonly #discs = new Map<number, Disc[]>();

  constructor(room: Room) {
    this.#room = room;
  }

  addName(name: Rectangle): void {
    addTo(this.#names, cellsOf(name, this.#room), name);
  }

  addDisc(disc: Disc): void {
    addTo(this.#discs, cellsOf(boxOf(disc), this.#room), disc);
  }

  isFree(place: Rectangle): boolean {
    return (
      isWithin(place, this.#room) &&
      !cellsOf(place, this.#room).some((cell) => this.#names.get(cell)?.some((other) => overlap(place, other)))
    );
  }

  isClear(place: Rectangle, { own, gap = 0 }: { readonly own?: Disc; readonly gap?: number } = {}): boolean {
    return !cellsOf(grown(place, gap), this.#room).some((cell) =>
      this.#discs.get(cell)?.some((disc) => disc !== own && isOver(place, disc, gap)),
    );
  }
}

function addTo<Item>(cells: Map<number, Item[]>, keys: readonly number[], item: Item): void {
  for (const key of keys) {
    const there = cells.get(key);
    if (there === undefined) cells.set(key, [item]);
    else there.push(item);
  }
}

function cellsOf({ left, top, width, height }: Rectangle, room: Room): number[] {
  const [firstX, lastX] = [cellAt(Math.max(0, left)), cellAt(Math.min(room.width, left + width))];
  const [firstY, lastY] = [cellAt(Math.max(0, top)), cellAt(Math.min(room.height, top + height))];
  const cells: number[] = [];
  for (let x = firstX; x <= lastX; x += 1) for (let y = firstY; y <= lastY; y += 1) cells.push(y * ROW + x);
  return cells;
}

const cellAt = (px: number): number => Math.floor(px / CELL_PX);

const boxOf = ({ x, y, size }: Disc): Rectangle => ({
  left: x - size,
  top: y - size,
  width: 2 * size,
  height: 2 * size,
});

/** A label wider than the picture starts at its edge. */
const isWithin = ({ left, top, width, height }: Rectangle, room: Room): boolean =>
  left >= MARGIN_PX &&
  top >= MARGIN_PX &&
  left + Math.min(width, room.width - 2 * MARGIN_PX) <= room.width - MARGIN_PX &&
  top + height <= room.height - MARGIN_PX;

export const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.left < other.left + other.width &&
  other.left < one.left + one.width &&
  one.top < other.top + other.height &&
  other.top < one.top + one.height;

const grown = ({ left, top, width, height }: Rectangle, by: number): Rectangle => ({
  left: left - by,
  top: top - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

function isOver({ left, top, width, height }: Rectangle, { x, y, size }: Disc, gap = 0): boolean {
  const [nearX, nearY] = [Math.max(left, Math.min(x, left + width)), Math.max(top, Math.min(y, top + height))];
  return Math.hypot(x - nearX, y - nearY) < size + gap;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The sunflower angle: points do not meet. */
const GOLDEN_ANGLE = 2.399963;
const NODE_GAP = 5;

export function placeBeside({ x, y }: Point, index: number, distance = 0): Point {
  const radius = distance + NODE_GAP + Math.sqrt(index) / 2;
  return { x: x + radius * Math.cos(index * GOLDEN_ANGLE), y: y + radius * Math.sin(index * GOLDEN_ANGLE) };
}

export function roundOf(places: readonly Point[]): { readonly middle: Point; readonly radius: number } {
  const count = Math.max(places.length, 1);
  let [x, y, radius] = [0, 0, 0];
  for (const place of places) {
    x += place.x / count;
    y += place.y / count;
  }
  for (const place of places) radius = Math.max(radius, Math.hypot(place.x - x, place.y - y));
  return { middle: { x, y }, radius };
}

const LONG = 20;
const [BEGINNING, END] = [6, 7];

export function shortName(name: string): string | undefined {
  const characters = [...name];
  if (characters.length <= LONG) return undefined;
  return `${characters.slice(0, BEGINNING).join('')}…${characters.slice(-END).join('')}`;
}
