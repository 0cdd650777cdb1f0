// What is typed where a record is named.

interface Piece {
  /** What is being typed. */
  readonly typed: string;
  /** The whole, with another in its place. */
  readonly take: (name: string) => string;
}

/** Of a list with commas, what stands after the last. */
export function pieceOf(value: string, isList: boolean): Piece {
  const start = isList ? value.lastIndexOf(',') + 1 : 0;
  return { typed: value.slice(start), take: (name) => `${value.slice(0, start)}${name}` };
}

const DURABLE_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

/** Whether it is a name without its shape, which no record has. */
export const isBareName = (typed: string): boolean => {
  const name = typed.trim();
  return name !== '' && !name.includes('/') && !DURABLE_ID.test(name);
};

/** Of what was found for a name without its shape: what was meant. */
export const meantBy = <Named extends { readonly name: string }>(
  typed: string,
  records: readonly Named[],
): Named | undefined => records.find(({ name }) => name.slice(name.indexOf('/') + 1) === typed.trim()) ?? records[0];
