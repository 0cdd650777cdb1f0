// How deep the trees of a SQLite file are, and how deep they would be with more records.
import { DatabaseSync } from 'node:sqlite';

/** One table or one index. */
export interface Tree {
  readonly name: string;
  readonly entries: number;
  /** How many pages each level has, from the root to the leaves; a level is a page that a search goes through. */
  readonly levels: readonly number[];
}

interface LevelRow {
  readonly name: string;
  readonly pages: number;
  readonly entries: number;
}

// The path of a page names those above it: `/` is the root, `/1c2/` a page below it. What does not fit on a page has pages of
// its own, which belong to no level.
const LEVELS = `
  select name, length(path) - length(replace(path, '/', '')) as level, count(*) as pages, sum(ncell) as entries
  from temp.page where pagetype <> 'overflow' group by name, level order by name, level`;

export function treesOf(file: string): Tree[] {
  const database = new DatabaseSync(file);
  try {
    database.exec('create virtual table temp.page using dbstat(main)');
    const rows = database.prepare(LEVELS).all() as unknown as LevelRow[];
    return [...Map.groupBy(rows, ({ name }) => name)].map(([name, levels]) => ({
      name,
      entries: levels.reduce((sum, { entries }) => sum + entries, 0),
      levels: levels.map(({ pages }) => pages),
    }));
  } finally {
    database.close();
  }
}

/** Those that have about one entry for each record, or more. */
export function grownTrees(trees: readonly Tree[], records: number): Tree[] {
  return trees.filter(({ entries }) => entries >= records / 2);
}

export const depthOf = ({ levels }: Tree): number => levels.length;

/** Of a tree that is too small to tell. */
const LEAST_FAN_OUT = 2;

/**
 * With so many times the entries: there are as many times the leaves, and each level above has as many pages fewer as the pages
 * right above the leaves have below them now.
 */
export function depthAt({ levels }: Tree, times: number): number {
  const leaves = levels.at(-1) ?? 1;
  const fanOut = Math.max(LEAST_FAN_OUT, leaves / (levels.at(-2) ?? 1));
  let depth = 1;
  for (let pages = leaves * times; pages > 1; pages /= fanOut) depth++;
  return depth;
}
