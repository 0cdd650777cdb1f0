// A text as one word of a shell's command line, whatever is in it: records and their names are written by others.

const PLAIN = /^[\w@%+=:,./-]+$/;

export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
