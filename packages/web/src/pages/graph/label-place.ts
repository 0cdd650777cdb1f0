// Where names stand beside their nodes and on their edges: none covers another, nor another node, and what has no room is left
// out until there is more.
import { type Disc, MARGIN_PX, type Rectangle, type Room, TakenRoom } from './taken-room.ts';

export interface Named extends Disc {
  /** Of the name; 0 where it is not to be drawn. */
  readonly width: number;
  /** It may cover other nodes, where it has no better place. */
  readonly isNeeded?: boolean;
}

interface Placing {
  readonly room: Room;
  /** Of a line. */
  readonly height: number;
  /** What is taken already, and to which is added what is placed. */
  readonly taken?: TakenRoom;
}

const BESIDE_PX = 3;
/** Where the corner of a name meets the disc. */
const DIAGONAL = 0.75;

/** Who comes first has the choice. In the order that was given; `undefined` where there is no room. */
export function placeNames(
  named: readonly Named[],
  { room, height, taken = new TakenRoom(room) }: Placing,
): (Rectangle | undefined)[] {
  for (const one of named) taken.addDisc(one);
  return named.map((one) => {
    if (one.width === 0 || !isInside(one, room)) return undefined;
    const free = placesOf(one, { room, height }).filter((place) => taken.isFree(place));
    const clear = free.find((place) => taken.isClear(place, one));
    const place = clear ?? (one.isNeeded ? free[0] : undefined);
    if (place !== undefined) taken.addName(place);
    return place;
  });
}

const isInside = ({ x, y }: Disc, room: Room): boolean => x >= 0 && y >= 0 && x <= room.width && y <= room.height;

/** Beside it, below, above, and at its corners: the best first. */
function placesOf({ x, y, size, width }: Named, { room, height }: { room: Room; height: number }): Rectangle[] {
  const [away, middle] = [size + BESIDE_PX, y - height / 2];
  const [right, left] = [x + size * DIAGONAL, x - size * DIAGONAL - width];
  const [below, above] = [y + size * DIAGONAL, y - size * DIAGONAL - height];
  const centred = Math.max(MARGIN_PX, Math.min(x - width / 2, room.width - MARGIN_PX - width));
  const place = (left: number, top: number): Rectangle => ({ left, top, width, height });
  return [
    place(x + away, middle),
    place(x - away - width, middle),
    place(centred, y + away),
    place(centred, y - away - height),
    place(right, below),
    place(right, above),
    place(left, below),
    place(left, above),
  ];
}

export interface NamedEdge {
  readonly from: Disc;
  readonly to: Disc;
  /** Of the name. */
  readonly width: number;
}

/** In the middle of the edge, or else farther along it. */
const SHARES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

/** Where the name of an edge stands across it; `undefined` where there is no room. */
export function placeOnEdge(
  { from, to, width }: NamedEdge,
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
