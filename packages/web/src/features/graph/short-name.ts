const LONG = 20;
const [BEGINNING, END] = [6, 7];

/** A long name by its beginning and its end, which tell apart what is named in a row; `undefined` where it is short already. */
export function shortName(name: string): string | undefined {
  const characters = [...name];
  if (characters.length <= LONG) return undefined;
  return `${characters.slice(0, BEGINNING).join('')}…${characters.slice(-END).join('')}`;
}
