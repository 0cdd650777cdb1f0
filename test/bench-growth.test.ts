// The basis of the growth and depth benchmarks: trees counted page by page, the depths derived from them, and the
// records that make trees deep.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { depthAt, depthOf, grownTrees, treesOf } from '../bench/btree.ts';
import { SHORT } from '../bench/growth-data.ts';
import { fileOf, loadRepository } from '../bench/read-data.ts';

function treeOf(rows: number) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-btree-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tree.db');
  const database = new DatabaseSync(file);
  database.exec(
    'pragma page_size = 512; create table few (n); create table many (key, primary key (key)) without rowid',
  );
  const insert = database.prepare('insert into many (key) values (?)');
  database.exec('begin');
  for (let n = 0; n < rows; n++) insert.run(`${n}`.padStart(90, '0'));
  database.exec('commit');
  database.close();
  return treesOf(file);
}

it('finds how deep a tree is, and how deep it would be with more entries', () => {
  const [many, ...others] = grownTrees(treeOf(400), 400);
  if (many === undefined) throw new Error('There is no tree.');
  expect(others).toEqual([]);
  expect([many.name, many.entries]).toEqual(['many', 400]);
  expect(many.levels[0]).toBe(1);
  expect(many.levels.at(-1)).toBeGreaterThanOrEqual(400 / 6);
  const [larger] = grownTrees(treeOf(25_600), 25_600);
  expect(depthOf(many)).toBeLessThan(depthOf(larger ?? many));
  expect(depthAt(many, 64)).toBe(depthOf(larger ?? many));
});

it('computes depths from the pages of the lowest levels', () => {
  const tree = { name: 'any', entries: 100_000, levels: [1, 10, 1_000] };
  expect(depthOf(tree)).toBe(3);
  expect([1, 10, 11, 1_000, 100_000].map((times) => depthAt(tree, times))).toEqual([3, 3, 4, 4, 5]);
});

it('fills a repository with short records, of which four lie on a page of 512 bytes', async () => {
  const records = 200;
  const loaded = await loadRepository({ records, server: undefined, contents: SHORT });
  onTestFinished(() => loaded.remove());
  const database = new DatabaseSync(fileOf(loaded));
  onTestFinished(() => database.close());
  expect(database.prepare(`select count(*) as count from record where name glob 'r*'`).get()).toEqual({
    count: records,
  });
  database.exec('pragma journal_mode = delete; pragma page_size = 512; vacuum');
  const version = treesOf(fileOf(loaded)).find(({ name }) => name === 'version');
  const [leaves = 0, above = 0] = version?.levels.toReversed() ?? [];
  expect(Math.round(leaves / above)).toBeLessThanOrEqual(5);
  expect(depthAt(version ?? { name: '', entries: 0, levels: [] }, 1_000_000 / records)).toBeGreaterThanOrEqual(9);
});
