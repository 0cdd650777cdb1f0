// Whether a name matches a glob, by looking for its literal parts one after the other. What lies between two `**` is looked for
// as far to the left as it is found: whatever follows is then found too, if it can be. So nothing is ever tried twice, and
// a commit can hold thousands of names against hundreds of globs.

/** What lies between two `**`: literals, between which stands a `*` each. */
type Run = readonly string[];

export function createGlobMatcher(glob: string): (name: string) => boolean {
  const [first = [], ...others] = glob.split('**').map((run) => run.split('*'));
  const last = others.pop();
  const [prefix, suffix] = [first[0] ?? '', (last ?? first).at(-1) ?? ''];
  // Most names are told apart by their ends.
  if (last === undefined) return (name) => name.startsWith(prefix) && name.endsWith(suffix) && isWhole(first, name);
  const findBefore = last.map(createFindBefore);
  return (name) => {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) return false;
    let end = endOfRun(first, name, 0);
    for (const run of others) {
      if (end === undefined) return false;
      end = endOfFirst(run, name, end);
    }
    return end !== undefined && endsIn({ literals: last, findBefore }, name, end);
  };
}

/** Where the first so many literals of a run end, the first of which is known to be at `start`. */
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

/** Where the run that is found first ends. */
function endOfFirst(run: Run, name: string, from: number): number | undefined {
  const literal = run[0] ?? '';
  let start = name.indexOf(literal, from);
  while (start !== -1) {
    const end = endOfRun(run, name, start);
    if (end !== undefined) return end;
    // What was not found before the next slash is not found from any other place before it either.
    const slash = name.indexOf('/', start + literal.length);
    if (slash === -1) return undefined;
    start = name.indexOf(literal, Math.max(start + 1, slash + 1 - literal.length));
  }
  return undefined;
}

/** Of a glob without `**`, where the name has its ends. */
function isWhole(run: Run, name: string): boolean {
  const end = endOfRun(run, name, 0, run.length - 1);
  const start = name.length - (run.at(-1) ?? '').length;
  return end !== undefined && end <= start && !isSlashBetween(name, end, start);
}

interface LastRun {
  readonly literals: Run;
  readonly findBefore: readonly FindBefore[];
}

/**
 * Whether a run, whose last literal is the end of the name, begins at `from` or after. It is looked for from the right, as others
 * are from the left.
 */
function endsIn({ literals, findBefore }: LastRun, name: string, from: number): boolean {
  let start = name.length - (literals.at(-1) ?? '').length;
  for (let at = literals.length - 2; at >= 0 && start >= from; at--) {
    const found = findBefore[at]?.(name, start) ?? -1;
    if (found === -1 || isSlashBetween(name, found + (literals[at] ?? '').length, start)) return false;
    start = found;
  }
  return start >= from;
}

/** Finds where the literal stands that ends last, at `end` at the latest; -1 where none does. */
type FindBefore = (name: string, end: number) => number;

/**
 * Looks at each character of a name about once, after Knuth, Morris and Pratt. Unlike indexOf, lastIndexOf compares all of a
 * literal at each place: with what others wrote, those may be fifty thousand comparisons.
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

/** How much of the beginning is also the end of so many codes: that much need not be compared again. */
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
