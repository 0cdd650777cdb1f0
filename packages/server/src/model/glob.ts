// Globs over the full names of records: `*` stands for part of a segment, `**` for anything, slashes included. They come
// from callers, so that matching takes no more steps than the glob has parts times the name has characters.

export const GLOB_CHARACTERS_MAX = 1_024;

type Part = { readonly literal: string } | { readonly wildcard: '*' | '**' };

// What a record's name cannot hold, a glob that is to match one cannot hold either; it would silently match nothing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const REFUSED = /[\s\u0000-\u001f\u007f-\u009f?#@:$+%\\]|\*{3}/u;

/** What is wrong with a glob, if anything. */
export function problemWithGlob(glob: string): string | undefined {
  if (glob === '') return 'a glob cannot be empty; ** stands for every name';
  if (glob.length > GLOB_CHARACTERS_MAX) return `a glob has at most ${GLOB_CHARACTERS_MAX} characters`;
  if (!glob.isWellFormed() || REFUSED.test(glob)) {
    return 'a glob is a name in which * stands for part of a segment and ** for anything, such as Signal/**';
  }
  return undefined;
}

export function compileGlob(glob: string): (name: string) => boolean {
  const parts = partsOf(glob);
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && 'literal' in first) return (name) => name === first.literal;
  return (name) => matches(parts, name);
}

function partsOf(glob: string): Part[] {
  return [...glob.matchAll(/\*\*|\*|[^*]+/g)].map(([text]) =>
    text === '*' || text === '**' ? { wildcard: text } : { literal: text },
  );
}

/** Keeps the set of places in the name that the parts so far can end at, instead of trying one way after the other. */
function matches(parts: readonly Part[], name: string): boolean {
  let places = new Set([0]);
  for (const part of parts) {
    places = 'literal' in part ? afterLiteral(places, name, part.literal) : afterWildcard(places, name, part.wildcard);
    if (places.size === 0) return false;
  }
  return places.has(name.length);
}

function afterLiteral(places: ReadonlySet<number>, name: string, literal: string): Set<number> {
  const after = new Set<number>();
  for (const place of places) if (name.startsWith(literal, place)) after.add(place + literal.length);
  return after;
}

function afterWildcard(places: ReadonlySet<number>, name: string, wildcard: '*' | '**'): Set<number> {
  const after = new Set<number>();
  let open = false;
  for (let place = 0; place <= name.length; place++) {
    if (places.has(place)) open = true;
    if (open) after.add(place);
    if (wildcard === '*' && name[place] === '/') open = false;
  }
  return after;
}

/** Whether the name of a record of the shape could match: one that begins with its name and a slash. */
export function couldNameRecordOf(glob: string, shapeName: string): boolean {
  const beginning = `${shapeName}/`;
  let places = new Set([0]);
  for (const part of partsOf(glob)) {
    if ('literal' in part) {
      if ([...places].some((place) => goesBeyond(beginning.slice(place), part.literal))) return true;
      places = afterLiteral(places, beginning, part.literal);
    } else {
      places = afterWildcard(places, beginning, part.wildcard);
      if (places.has(beginning.length)) return true;
    }
  }
  return false;
}

function goesBeyond(beginning: string, literal: string): boolean {
  return literal.length > beginning.length && literal.startsWith(beginning);
}

/** The characters before the first wildcard. */
function literalPrefix(glob: string): string {
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
