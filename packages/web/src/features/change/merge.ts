// Two people changed the same record: what either changed since the version that both began with, field by field.

export interface Contested {
  /** A field of the data. */
  readonly name: string;
  readonly was: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Who of the two changed it; both, where they did not agree. */
  readonly changedBy: 'me' | 'them' | 'both';
}

export type Side = 'mine' | 'theirs';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (data: unknown): Fields =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Fields) : {};

/** The fields in which mine and theirs differ. A side that does not have one has `undefined`. */
export function contestedOf(was: unknown, mine: unknown, theirs: unknown): readonly Contested[] {
  const sides = [was, mine, theirs].map(fieldsOf) as [Fields, Fields, Fields];
  const names = new Set(sides.flatMap((side) => Object.keys(side)));
  return [...names].flatMap((name): Contested[] => {
    const [old, my, their] = sides.map((side) => side[name]);
    if (isSame(my, their)) return [];
    const changedBy = isSame(old, my) ? 'them' : isSame(old, their) ? 'me' : 'both';
    return [{ name, was: old, mine: my, theirs: their, changedBy }];
  });
}

/** What was changed by one alone is as they have it; where both did, nobody can say but who chooses. */
export function sidesAtFirst(contested: readonly Contested[]): ReadonlyMap<string, Side> {
  return new Map(
    contested.flatMap(({ name, changedBy }): [string, Side][] =>
      changedBy === 'both' ? [] : [[name, changedBy === 'me' ? 'mine' : 'theirs']],
    ),
  );
}

/** Theirs, with the fields that are taken of mine. */
export function merged(mine: unknown, theirs: unknown, sides: ReadonlyMap<string, Side>): unknown {
  const result: Record<string, unknown> = { ...fieldsOf(theirs) };
  const my = fieldsOf(mine);
  for (const [name, side] of sides) {
    if (side !== 'mine') continue;
    if (Object.hasOwn(my, name)) result[name] = my[name];
    else delete result[name];
  }
  return result;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.entries(one), other as Fields];
  return (
    left.length === Object.keys(right).length &&
    left.every(([key, value]) => Object.hasOwn(right, key) && isSame(value, right[key]))
  );
}
