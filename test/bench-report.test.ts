// The report generates the performance page and its plots from bench/results.json. Its statements about targets must be
// true.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Curve, type Figure, median } from '../bench/figure.ts';
import { reportFiles } from '../bench/report.ts';
import { NOTES, noteOf } from '../bench/report-note.ts';
import { type Results, readResults, withPart } from '../bench/results.ts';
import { hasTarget, isMet, targetText } from '../bench/target.ts';
import { ROOT } from './support/server.ts';

const results = readResults(join(ROOT, 'bench/results.json'));

describe('docs/performance.md', () => {
  const files = reportFiles(results);

  it('and its plots are what `npm run bench -- --report` writes', () => {
    const written = globSync('{performance.md,performance/*}', { cwd: join(ROOT, 'docs') });
    expect(written.sort()).toEqual([...files.keys()].sort());
    for (const [path, text] of files) expect([path, read(path) === text]).toEqual([path, true]);
  });

  it('is the same each time it is made', () => {
    expect([...reportFiles(results)]).toEqual([...files]);
  });

  it('has a plot for each curve, which holds nothing that runs or is fetched', () => {
    const names = new Set(results.curves.map(({ name }) => name));
    expect(names.size).toBeGreaterThan(6);
    const plots = [...files].filter(([path]) => path.endsWith('.svg'));
    expect(plots.length).toBe(names.size);
    for (const [path, svg] of plots) {
      expect(files.get('performance.md')).toContain(`](${path})`);
      expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      expect(svg).not.toMatch(/<script|<style|style=|class=|href=|url\(|\bon\w+=/);
    }
  });

  it('says why, wherever a target is not met', () => {
    const missed = results.figures.filter((figure) => hasTarget(figure) && !isMet(figure));
    expect(missed.map(({ name }) => name).filter((name) => noteOf(name) === undefined)).toEqual([]);
  });
});

const read = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8');

describe('a figure', () => {
  it('is the median of its runs', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([7])]).toEqual([2, 2.5, 7]);
  });

  it.each([
    [{ median: 5, atMost: 5 }, 'at most 5', true],
    [{ median: 5.1, atMost: 5 }, 'at most 5', false],
    [{ median: 24, atLeast: 20, atMost: 23 }, 'at most 23, at least 20', false],
    [{ median: 22, atLeast: 20, atMost: 23 }, 'at most 23, at least 20', true],
    [{ median: 90, ofBare: 4, atMostOfBare: 4 }, 'at most 400 % of bare', true],
    [{ median: 90, ofBare: 4.1, atMostOfBare: 4 }, 'at most 400 % of bare', false],
    [{ median: 90, atMostOfBare: 4 }, 'at most 400 % of bare', false],
  ])('%j has the target "%s", met: %s', (reached, text, met) => {
    expect([targetText(reached), hasTarget(reached), isMet(reached)]).toEqual([text, true, met]);
  });

  it('without a target has none to meet', () => {
    expect([targetText({ median: 1 }), hasTarget({ median: 1 })]).toEqual(['', false]);
  });
});

describe('results', () => {
  const order = ['commit', 'stream', 'curves'];
  const figure = (name: string, values: number[]): Figure => ({ name, unit: 'ms', values, atMost: 2 });
  const curve: Curve = {
    name: 'point read',
    unit: 'a second',
    engine: 'sqlite',
    points: [{ records: 1_000, values: [3, 1, 2] }],
  };
  const nothing: Results = { machine: results.machine, figures: [], curves: [] };

  it('have what a part gave in place of what it gave before', () => {
    const first = withPart(nothing, { part: 'stream', order, gave: [figure('a', [1, 3]), figure('b', [9])] });
    const second = withPart(first, { part: 'commit', order, gave: [figure('c', [4])] });
    const third = withPart(second, { part: 'stream', order, gave: [{ ...figure('a', [5]), bare: [10] }] });
    const last = withPart(third, { part: 'curves', order, gave: [curve] });
    expect(last.figures).toEqual([
      { part: 'commit', name: 'c', unit: 'ms', median: 4, spread: [4, 4], runs: 1, atMost: 2 },
      {
        part: 'stream',
        name: 'a',
        unit: 'ms',
        median: 5,
        spread: [5, 5],
        runs: 1,
        bareMedian: 10,
        ofBare: 0.5,
        atMost: 2,
      },
    ]);
    expect(last.curves).toEqual([
      {
        part: 'curves',
        name: 'point read',
        unit: 'a second',
        engine: 'sqlite',
        points: [{ records: 1_000, median: 2, spread: [1, 3], runs: 3 }],
      },
    ]);
  });

  it('say on the page what is met, what is not, and why', () => {
    const gave = [figure('page of 50, met', [1]), figure('page of 50, missed', [3])];
    const page = reportFiles(withPart(nothing, { part: 'stream', order, gave })).get('performance.md');
    expect(page).toContain('| page of 50, met | 1 ms |  | at most 2 |');
    expect(page).toContain('| page of 50, missed | 3 ms |  | **at most 2: not met** |');
    expect(page).toContain(`- *page of 50, missed*: ${NOTES['page of 50']}`);
    expect(page).not.toContain('## As a repository grows');
  });

  it('of the comparison have a column for each server on the page', () => {
    const rate = (name: string, values: number[]) => ({ name, unit: 'a second', values });
    const gave = [
      { ...rate('health, cairn', [3]), bare: [9] },
      rate('health, lean', [6]),
      figure('health, processor time, cairn', [4]),
      rate('indexed range, PocketBase', [5]),
    ];
    const page = reportFiles(withPart(nothing, { part: 'compare', order: ['compare'], gave })).get('performance.md');
    expect(page).toContain('| health | 3 |  | 6 | 9 |\n| indexed range |  | 5 |  |  |\n');
    expect(page).toContain('| health | 4 |  |  |  | **at most 2: not met** |\n');
  });
});
