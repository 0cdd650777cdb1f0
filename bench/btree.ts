// Depth of the B-trees in a SQLite file, and their computed depth with more records.
import { DatabaseSync } from 'node:sqlite';

export interface Tree {
  readonly name: string;
  readonly entries: number;
  /** Pages per level, from the root to the leaves. */
  readonly levels: readonly number[];
}

interface LevelRow {
  readonly name: string;
  readonly pages: number;
  readonly entries: number;
}

// The path of a page contains those above it: `/` is the root, `/1c2/` a page below it. Overflow pages belong to no
// level.
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

/** Trees that grow with the number of records. */
export function grownTrees(trees: readonly Tree[], records: number): Tree[] {
  return trees.filter(({ entries }) => entries >= records / 2);
}

export const depthOf = ({ levels }: Tree): number => levels.length;

const LEAST_FAN_OUT = 2;

/**
 * Predicts the depth with `times` as many entries. The leaves grow by that factor; each level above is smaller by the
 * fan-out just above the leaves.
 */
export function depthAt({ levels }: Tree, times: number): number {
  const leaves = levels.at(-1) ?? 1;
  const fanOut = Math.max(LEAST_FAN_OUT, leaves / (levels.at(-2) ?? 1));
  let depth = 1;
  for (let pages = leaves * times; pages > 1; pages /= fanOut) depth++;
  return depth;
}
