// Globs over the full names of records: `*` stands for part of a segment, `**` for anything, slashes included. They come
// from callers, and a token may hold a hundred of them that a read holds against hundreds of names: what a glob may be is
// bounded, and matching (glob-match.ts) never tries one way after the other.
import { createGlobMatcher } from './glob-match.ts';

export const GLOB_CHARACTERS_MAX = 1_024;
const WILDCARDS_MAX = 4;

type Part = { readonly literal: string } | { readonly wildcard: '*' | '**' };

// What a record's name cannot hold, a glob that is to match one cannot hold either; it would silently match nothing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const REFUSED = /[\s\u0000-\u001f\u007f-\u009f?#@:$+%\\]|\*{3}/u;

/** What is wrong with a glob, if anything. */
export function problemWithGlob(glob: string): string | undefined {
  if (glob === '') return 'a glob cannot be empty; ** stands for every name';
  if (glob.length > GLOB_CHARACTERS_MAX) return `a glob has at most ${GLOB_CHARACTERS_MAX} characters`;
  if ((glob.match(/\*+/g)?.length ?? 0) > WILDCARDS_MAX) return `a glob has at most ${WILDCARDS_MAX} wildcards`;
  if (!glob.isWellFormed() || REFUSED.test(glob)) {
    return 'a glob is a name in which * stands for part of a segment and ** for anything, such as Signal/**';
  }
  return undefined;
}

export function compileGlob(glob: string): (name: string) => boolean {
  return glob.includes('*') ? createGlobMatcher(glob) : (name) => name === glob;
}

function partsOf(glob: string): Part[] {
  return [...glob.matchAll(/\*\*|\*|[^*]+/g)].map(([text]) =>
    text === '*' || text === '**' ? { wildcard: text } : { literal: text },
  );
}

/** One mark for each place between the characters of a name, and at its ends. */
type Places = Uint8Array;

function startOf(name: string): Places {
  const places = new Uint8Array(name.length + 1);
  places[0] = 1;
  return places;
}

function after(places: Places, name: string, part: Part): Places {
  return 'literal' in part ? afterLiteral(places, name, part.literal) : afterWildcard(places, name, part.wildcard);
}

function afterLiteral(places: Places, name: string, literal: string): Places {
  const reached = new Uint8Array(places.length);
  for (let place = places.indexOf(1); place !== -1; place = places.indexOf(1, place + 1)) {
    if (name.startsWith(literal, place)) reached[place + literal.length] = 1;
  }
  return reached;
}

function afterWildcard(places: Places, name: string, wildcard: '*' | '**'): Places {
  const first = places.indexOf(1);
  const reached = new Uint8Array(places.length);
  if (first === -1) return reached;
  if (wildcard === '**') return reached.fill(1, first);
  let open = false;
  for (let place = first; place <= name.length; place++) {
    if (places[place] === 1) open = true;
    if (open) reached[place] = 1;
    if (name[place] === '/') open = false;
  }
  return reached;
}

/** Whether the name of a record of the shape could match: one that begins with its name and a slash. */
export function couldNameRecordOf(glob: string, shapeName: string): boolean {
  const beginning = `${shapeName}/`;
  let places = startOf(beginning);
  for (const part of partsOf(glob)) {
    const reached = [...places.keys()].filter((place) => places[place] === 1);
    if ('literal' in part && reached.some((place) => goesBeyond(beginning.slice(place), part.literal))) return true;
    places = after(places, beginning, part);
    if ('wildcard' in part && places[beginning.length] === 1) return true;
  }
  return false;
}

function goesBeyond(beginning: string, literal: string): boolean {
  return literal.length > beginning.length && literal.startsWith(beginning);
}

/** The characters before the first wildcard. */
export function literalPrefix(glob: string): string {
  const star = glob.indexOf('*');
  return star === -1 ? glob : glob.slice(0, star);
}

/** Whether a glob is another one, or is that one with a longer literal beginning: then it matches nothing more. */
export function extendsGlob(glob: string, wider: string): boolean {
  if (glob === wider) return true;
  const prefix = literalPrefix(wider);
  const rest = wider.slice(prefix.length);
  const literal = literalPrefix(glob);
  if (rest === '' || !glob.startsWith(prefix) || literal.length <= prefix.length) return false;
  if (rest === '**') return true;
  const added = literal.slice(prefix.length);
  // A single * does not stand for a slash.
  if (!rest.startsWith('**') && added.includes('/')) return false;
  const end = glob.slice(literal.length);
  return end === rest || (end === '' && rest === '*');
}
