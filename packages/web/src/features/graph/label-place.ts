// Where names stand beside their nodes and on their edges: none covers another, nor is near to another node, and arrows are seen
// where there is a place for that. What has no room is left out until there is more.
import { type Disc, isOver, MARGIN_PX, type Rectangle, type Room, TakenRoom } from './taken-room.ts';

/** An edge of a node: where it leads to or comes from. */
export interface Tie {
  readonly x: number;
  readonly y: number;
  /** Whether its arrow ends here. */
  readonly isArrival: boolean;
}

export interface Named extends Disc {
  /** Of the name; 0 where it is not to be drawn. */
  readonly width: number;
  /** Of its short form, for where there is no room for all of it. */
  readonly shortWidth?: number | undefined;
  /** It may cover other nodes, where it has no better place. */
  readonly isNeeded?: boolean;
  readonly ties?: readonly Tie[];
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
/** So far from other nodes it is plain which one a name belongs to; at a corner of its own it is less plain. */
const GAP_PX = { side: 8, corner: 16 };

interface Choice {
  readonly place: Rectangle;
  readonly gap: number;
  /** How much is lost by it. */
  readonly cost: number;
}

/** Who comes first has the choice. In the order that was given; `undefined` where there is no room. */
export function placeNames(
  named: readonly Named[],
  { room, height, taken = new TakenRoom(room) }: Placing,
): (Rectangle | undefined)[] {
  for (const one of named) taken.addDisc(one);
  const placeBeside = (one: Named, width: number) => {
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

/** The first of those that cost least. */
const best = (choices: readonly Choice[]): Rectangle | undefined =>
  choices.reduce<Choice | undefined>((least, one) => (least && least.cost <= one.cost ? least : one), undefined)?.place;

const placeAnyway = (own: Named, { free, taken }: { free: readonly Choice[]; taken: TakenRoom }) =>
  best(free.filter(({ place }) => taken.isClear(place, { own }))) ?? free[0]?.place;

/** Beside it, below, above, and at its corners: of those that cost the same, the best first. */
function choicesOf(named: Named, { room, height }: { room: Room; height: number }): Choice[] {
  const { x, y, size, width } = named;
  const [away, middle] = [size + BESIDE_PX, y - height / 2];
  const [right, left] = [x + size * DIAGONAL, x - size * DIAGONAL - width];
  const [below, above] = [y + size * DIAGONAL, y - size * DIAGONAL - height];
  const centred = Math.max(MARGIN_PX, Math.min(x - width / 2, room.width - MARGIN_PX - width));
  const ends = endsOf(named);
  const choose = (gap: number, [left, top]: readonly [number, number]): Choice => {
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

/** The end of an edge that is seen beside its node, as large as the head of an arrow. */
interface End extends Disc {
  readonly isArrival: boolean;
}

const END_PX = 5;

const endsOf = ({ x, y, size, ties = [] }: Named): End[] =>
  ties.map((tie) => {
    const length = Math.hypot(tie.x - x, tie.y - y);
    const share = length === 0 ? 0 : (size + END_PX) / length;
    return { x: x + (tie.x - x) * share, y: y + (tie.y - y) * share, size: END_PX, isArrival: tie.isArrival };
  });

/** Without the head of an arrow its direction is lost; a line is seen farther on. */
const costOf = (place: Rectangle, ends: readonly End[]): number =>
  ends.reduce((sum, end) => sum + (isOver(place, end) ? (end.isArrival ? 2 : 1) : 0), 0);

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
