// What an address says and no page understands, and what is shown in its place.

type Search = Readonly<Record<string, unknown>>;

export interface LeftOut {
  /** As the address has it: `kind=nonsense`. */
  readonly said: string;
  /** What is done instead. */
  readonly instead: string;
}

/** Of all else nothing better can be said than that it is left out. */
const INSTEAD: Readonly<Record<string, string>> = {
  at: 'you see the present',
  kind: 'no kind is chosen',
  order: 'the order is the usual one',
  where: 'this condition is left out',
  version: 'you see the newest version',
  page: 'you see the first page',
};

/** Names that a page does not know at all are no concern of it: other programs add some. */
export function leftOutOf(said: Search, understood: Search): LeftOut[] {
  const names = Object.keys(said).filter((name) => Object.hasOwn(understood, name));
  return names.flatMap((name) => {
    const known = listOf(understood[name]).map(String);
    return listOf(said[name])
      .map(textOf)
      .filter(
        (text) => text !== '' && (known.length === 0 || (Array.isArray(understood[name]) && !known.includes(text))),
      )
      .map((text) => ({ said: `${name}=${text}`, instead: INSTEAD[name] ?? 'it is left out' }));
  });
}

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat());

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
