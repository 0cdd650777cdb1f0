// Globs over the full names of records: `*` stands for part of a segment, `**` for anything, slashes included. Globs
// come from callers. A token may hold a hundred of them, and a read matches them with hundreds of names. Globs are
// therefore bounded in size, and the matcher never backtracks.

const GLOB_CHARACTERS_MAX = 1_024;
const WILDCARDS_MAX = 4;

// Characters that a record's name cannot hold: a glob with one of them would silently match nothing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const REFUSED = /[\s\u0000-\u001f\u007f-\u009f?#@:$+%\\]|\*{3}/u;

export function problemWithGlob(glob: string): string | undefined {
  if (glob === '') return 'a glob cannot be empty; ** matches every name';
  if (glob.length > GLOB_CHARACTERS_MAX) return `a glob has at most ${GLOB_CHARACTERS_MAX} characters`;
  if ((glob.match(/\*+/g)?.length ?? 0) > WILDCARDS_MAX) return `a glob has at most ${WILDCARDS_MAX} wildcards`;
  if (!glob.isWellFormed() || REFUSED.test(glob)) {
    return 'a glob is a name in which * matches part of a segment and ** anything, such as Signal/**';
  }
  return undefined;
}

export function compileGlob(glob: string): (name: string) => boolean {
  return glob.includes('*') ? createGlobMatcher(glob) : (name) => name === glob;
}

/** True if a name that starts with the shape's name and a slash could match. */
export function couldNameRecordOf(glob: string, shapeName: string): boolean {
  let left = `${shapeName}/`;
  const [run = '', ...others] = glob.split('**');
  for (const [at, literal] of run.split('*').entries()) {
    // After a *, which stands for anything up to the slash. The leftmost place leaves the most to the next one.
    if (at > 0 && (left === '' || extendsAnEnd(left, literal))) return true;
    if (at === 0 && literal.length > left.length && literal.startsWith(left)) return true;
    const found = left.indexOf(literal);
    if (found === -1 || (at === 0 && found > 0)) return false;
    left = left.slice(found + literal.length);
  }
  return others.length > 0;
}

/** True if the literal could begin within the text and go on beyond it. */
function extendsAnEnd(text: string, literal: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (literal.length > text.length - at && literal.startsWith(text.slice(at))) return true;
  }
  return false;
}

export function literalPrefix(glob: string): string {
  const star = glob.indexOf('*');
  return star === -1 ? glob : glob.slice(0, star);
}

/**
 * True if both globs are equal, or if `glob` is `wider` with a longer literal beginning. It then matches nothing more.
 */
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

// Matches a name by searching for the glob's literals one after the other. A part between two `**` is searched as far
// to the left as possible: if any later match exists, it exists after this one too. So the matcher never backtracks,
// and a commit can match thousands of names with hundreds of globs.

/** The glob between two `**`: literals, with a `*` between each two. */
type Run = readonly string[];

function createGlobMatcher(glob: string): (name: string) => boolean {
  const [first = [], ...others] = glob.split('**').map((run) => run.split('*'));
  const last = others.pop();
  const [prefix, suffix] = [first[0] ?? '', (last ?? first).at(-1) ?? ''];
  // Comparing the ends first rejects most names early.
  if (last === undefined) return (name) => name.startsWith(prefix) && name.endsWith(suffix) && isWhole(first, name);
  const findBefore = last.map(createFindBefore);
  return (name) => {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) return false;
    let end = endOfRun(first, name, 0);
    for (const run of others) {
      if (end === undefined) return false;
      end = endOfFirst(run, name, end);
    }
    return end !== undefined && endsIn(last, findBefore, name, end);
  };
}

/** The end of the first `count` literals of a run whose first literal is known to be at `start`. */
function endOfRun(run: Run, name: string, start: number, count = run.length): number | undefined {
  let end = start + (run[0] ?? '').length;
  for (let at = 1; at < count; at++) {
    const literal = run[at] ?? '';
    const found = name.indexOf(literal, end);
    if (found === -1 || isSlashBetween(name, end, found)) return undefined;
    end = found + literal.length;
  }
  return end;
}

function endOfFirst(run: Run, name: string, from: number): number | undefined {
  const literal = run[0] ?? '';
  let start = name.indexOf(literal, from);
  while (start !== -1) {
    const end = endOfRun(run, name, start);
    if (end !== undefined) return end;
    // A failed search up to the next slash fails from every other start before that slash too.
    const slash = name.indexOf('/', start + literal.length);
    if (slash === -1) return undefined;
    start = name.indexOf(literal, Math.max(start + 1, slash + 1 - literal.length));
  }
  return undefined;
}

/** Matches a glob without `**` whose prefix and suffix are known to fit. */
function isWhole(run: Run, name: string): boolean {
  const end = endOfRun(run, name, 0, run.length - 1);
  const start = name.length - (run.at(-1) ?? '').length;
  return end !== undefined && end <= start && !isSlashBetween(name, end, start);
}

/**
 * True if a run whose last literal ends the name starts at `from` or later. Searches from the right, as the other runs
 * are searched from the left.
 */
function endsIn(literals: Run, findBefore: readonly FindBefore[], name: string, from: number): boolean {
  let start = name.length - (literals.at(-1) ?? '').length;
  for (let at = literals.length - 2; at >= 0 && start >= from; at--) {
    const found = findBefore[at]?.(name, start) ?? -1;
    if (found === -1 || isSlashBetween(name, found + (literals[at] ?? '').length, start)) return false;
    start = found;
  }
  return start >= from;
}

/** The start of the last occurrence that ends at `end` or earlier; -1 if there is none. */
type FindBefore = (name: string, end: number) => number;

/**
 * Visits each character of a name about once (Knuth-Morris-Pratt). Unlike indexOf, lastIndexOf compares the whole
 * literal at each position, up to fifty thousand comparisons for hostile input.
 */
function createFindBefore(literal: string): FindBefore {
  const backwards = literal.split('').reverse();
  const codes = Uint16Array.from(backwards, (unit) => unit.charCodeAt(0));
  const borders = bordersOf(codes);
  return (name, end) => {
    let matched = 0;
    for (let at = end - 1; at >= 0; at--) {
      const code = name.charCodeAt(at);
      while (matched > 0 && codes[matched] !== code) matched = borders[matched - 1] ?? 0;
      if (codes[matched] === code) matched++;
      if (matched === codes.length) return at;
    }
    return -1;
  };
}

/**
 * For each prefix, the length of its longest border (a proper prefix that is also a suffix), which need not be compared
 * again.
 */
function bordersOf(codes: Uint16Array): Uint16Array {
  const borders = new Uint16Array(codes.length);
  for (let at = 1, matched = 0; at < codes.length; at++) {
    while (matched > 0 && codes[matched] !== codes[at]) matched = borders[matched - 1] ?? 0;
    if (codes[matched] === codes[at]) matched++;
    borders[at] = matched;
  }
  return borders;
}

function isSlashBetween(name: string, from: number, to: number): boolean {
  const slash = name.indexOf('/', from);
  return slash !== -1 && slash < to;
}
