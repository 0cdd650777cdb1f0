// Where a node is set before the layout moves it.
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The angle of sunflowers: points that are set by it do not meet. */
const GOLDEN_ANGLE = 2.399963;
const GAP = 5;

/** Beside a place, at a distance: each of a number of nodes elsewhere. */
export function placeBeside({ x, y }: Place, index: number, distance = 0): Place {
  const radius = distance + GAP + Math.sqrt(index) / 2;
  return { x: x + radius * Math.cos(index * GOLDEN_ANGLE), y: y + radius * Math.sin(index * GOLDEN_ANGLE) };
}

/** The middle of places, and how far from it the farthest is. */
export function roundOf(places: readonly Place[]): { readonly middle: Place; readonly radius: number } {
  const count = Math.max(places.length, 1);
  let [x, y, radius] = [0, 0, 0];
  for (const place of places) {
    x += place.x / count;
    y += place.y / count;
  }
  for (const place of places) radius = Math.max(radius, Math.hypot(place.x - x, place.y - y));
  return { middle: { x, y }, radius };
}
