// Which room of a picture is taken, by cells: among thousands of nodes only those nearby are looked at.

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
/** More cells than any picture has beside each other. */
const ROW = 10_000;
/** So far names stay away from the edge of the picture. */
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

  /** Whether a name can stand there: in the picture, and over no other name. */
  isFree(place: Rectangle): boolean {
    return (
      isWithin(place, this.#room) &&
      !cellsOf(place, this.#room).some((cell) => this.#names.get(cell)?.some((other) => overlap(place, other)))
    );
  }

  /** Whether no node but its own is within so many pixels of it. */
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

/** Those that it touches, as far as they are in the picture. */
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

/** What is wider than the picture begins at its edge. */
export const isWithin = ({ left, top, width, height }: Rectangle, room: Room): boolean =>
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

export function isOver({ left, top, width, height }: Rectangle, { x, y, size }: Disc, gap = 0): boolean {
  const [nearX, nearY] = [Math.max(left, Math.min(x, left + width)), Math.max(top, Math.min(y, top + height))];
  return Math.hypot(x - nearX, y - nearY) < size + gap;
}
