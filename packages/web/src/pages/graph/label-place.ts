// Where names stand beside their nodes: none covers another, nor another node, and what has no room is left out until there
// is more.

export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

export interface Named extends Disc {
  /** Of the name; 0 where it is not to be drawn. */
  readonly width: number;
  /** It may cover other nodes, where it has no better place. */
  readonly isNeeded?: boolean;
}

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Room {
  readonly width: number;
  readonly height: number;
}

const BESIDE_PX = 3;
/** Where the corner of a name meets the disc. */
const DIAGONAL = 0.75;

/** Who comes first has the choice. In the order that was given; `undefined` where there is no room. */
export function placeNames(
  named: readonly Named[],
  { room, height }: { readonly room: Room; readonly height: number },
): (Rectangle | undefined)[] {
  const taken: Rectangle[] = [];
  const isFree = (place: Rectangle) => isWithin(place, room) && !taken.some((other) => overlap(place, other));
  return named.map((one) => {
    if (one.width === 0 || !isWithin({ left: one.x, top: one.y, width: 0, height: 0 }, room)) return undefined;
    const free = placesOf(one, { room, height }).filter(isFree);
    const others = named.filter((other) => other !== one);
    const clear = free.find((candidate) => !others.some((disc) => isOver(candidate, disc)));
    const place = clear ?? (one.isNeeded ? free[0] : undefined);
    if (place !== undefined) taken.push(place);
    return place;
  });
}

/** Beside it, below, above, and at its corners: the best first. */
function placesOf({ x, y, size, width }: Named, { room, height }: { room: Room; height: number }): Rectangle[] {
  const [away, middle] = [size + BESIDE_PX, y - height / 2];
  const [right, left] = [x + size * DIAGONAL, x - size * DIAGONAL - width];
  const [below, above] = [y + size * DIAGONAL, y - size * DIAGONAL - height];
  const centred = Math.max(0, Math.min(x - width / 2, room.width - width));
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

const isWithin = ({ left, top, width, height }: Rectangle, room: Room): boolean =>
  left >= 0 && top >= 0 && left + Math.min(width, room.width) <= room.width && top + height <= room.height;

export const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.left < other.left + other.width &&
  other.left < one.left + one.width &&
  one.top < other.top + other.height &&
  other.top < one.top + one.height;

function isOver({ left, top, width, height }: Rectangle, { x, y, size }: Disc): boolean {
  const [nearX, nearY] = [Math.max(left, Math.min(x, left + width)), Math.max(top, Math.min(y, top + height))];
  return Math.hypot(x - nearX, y - nearY) < size;
}
