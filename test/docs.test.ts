// Statements of the documents about the project, checked against the project.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/server.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Manifest {
  name: string;
  version: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifests = ['package.json', ...globSync('{packages,test}/*/package.json', { cwd: ROOT })].map(
  (path) => JSON.parse(read(path)) as Manifest,
);
const dependencies = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
);

describe('dependencies', () => {
  it('have a line each in docs/dependencies.md, and no line is left over', () => {
    const rows = read('docs/dependencies.md')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    const listed = rows.flatMap(
      (row) =>
        row
          .split('|')[1]
          ?.split(',')
          .map((name) => name.trim()) ?? [],
    );
    const used = new Set(dependencies.map(([name]) => name).filter((name) => !name.startsWith('@cairn/')));
    expect(new Set(listed)).toEqual(used);
  });

  it('are pinned to exact versions', () => {
    expect(dependencies.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('all packages have one version', () => {
    expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
    expect(read('packages/protocol/src/version.ts')).toContain(`'${manifests[0]?.version}'`);
    expect(read('CHANGELOG.md')).toContain(`## ${manifests[0]?.version}`);
  });
});

describe('documents', () => {
  it('name npm scripts that exist, and name them all', () => {
    const scripts = Object.keys(manifests[0]?.scripts ?? {});
    const text = read('README.md') + read('CONTRIBUTING.md');
    const named = new Set([...text.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, name = '']) => name));
    expect([...named].filter((name) => !scripts.includes(name) && !['install', 'ci'].includes(name))).toEqual([]);
    const parts = ['lint', 'types', 'prepare', 'prestart'];
    expect(scripts.filter((name) => !named.has(name) && !parts.includes(name))).toEqual([]);
  });

  it('every folder of packages is in the README', () => {
    for (const folder of globSync('packages/*', { cwd: ROOT })) expect(read('README.md')).toContain(`\`${folder}\``);
  });
});

it('docs/security.md names tests that there are', () => {
  const text = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(15);
  for (const file of named) {
    const places = ['', 'packages/server/src/'].map((folder) => join(ROOT, folder, file));
    expect([file, places.some((place) => existsSync(place))]).toEqual([file, true]);
  }
});

it('docs/architecture.md names files that there are', () => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(80);
  const folders = ['', 'packages/server/src', 'packages/cli/src', 'packages/sdk/src'];
  const isThere = (file: string) => folders.some((folder) => existsSync(join(ROOT, folder, file)));
  expect(named.filter((file) => !isThere(file))).toEqual([]);
});

interface Bench {
  readonly figures: readonly { name: string; median: number }[];
  readonly curves: readonly { name: string; engine: string; points: readonly { records: number; median: number }[] }[];
}

const bench = () => JSON.parse(read('bench/results.json')) as Bench;
const isNear = (told: number, median: number) => Math.abs(told / median - 1) < 0.1;
const numberIn = (cell: string) => Number(/^[\d,.]+/.exec(cell)?.[0].replaceAll(',', ''));

describe('docs/scale.md', () => {
  const TOLD: Readonly<Record<string, readonly string[]>> = {
    'durable commits of one record, 1 writer, and 16': [
      'single durable commits, 1 writer, sqlite',
      'single durable commits, 16 writers, sqlite',
    ],
    'streaming submission, 1,000,000 plain records': ['stream submit, 1,000,000 lines of plain records, sqlite'],
    'export job, 2,000,000 records': ['export job from mint to file, 2,000,000 records, sqlite'],
    'a commit to the last of 10,000 live clients': ['commit to the last of 10,000 live clients, sqlite'],
    'deliveries of a backlog': ['deliveries of a backlog of 5,000, sqlite'],
  };

  it('tells the figures that were measured', () => {
    const { figures } = bench();
    const measured = new Map(figures.map(({ name, median }) => [name, median]));
    const rows = [...read('docs/scale.md').matchAll(/^\| ([^|]+) \| ([\d,. and]+)(?: \w+)+ \|$/gm)];
    expect(rows.map(([, work = '']) => work)).toEqual(Object.keys(TOLD));
    for (const [, work = '', told = ''] of rows) {
      const numbers = [...told.matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(',', '')));
      const medians = TOLD[work]?.map((name) => measured.get(name) ?? Number.NaN) ?? [];
      expect(numbers.length).toBe(medians.length);
      for (const [at, number] of numbers.entries()) {
        expect([work, isNear(number, medians[at] ?? 0)]).toEqual([work, true]);
      }
    }
  });

  /** Rows that derive from the row above, or that are not numeric. */
  const DERIVED = ['to fill it, at that rate', 'to export all, at that rate', 'run it on'];

  it('tells what was measured at a thousand and at a million records', () => {
    const rows = [...read('docs/scale.md').matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| [^|]+ \| [^|]* \|$/gm)]
      .map(([, work = '', ...cells]) => ({ work, cells }))
      .slice(2);
    expect(rows.length).toBeGreaterThan(8);
    const { curves } = bench();
    for (const { work, cells } of rows.filter((row) => !DERIVED.includes(row.work))) {
      const points = curves.find(({ name, engine }) => name === work && engine === 'sqlite')?.points ?? [];
      for (const [at, records] of [1_000, 1_000_000].entries()) {
        const median = points.find((point) => point.records === records)?.median ?? Number.NaN;
        expect([work, records, isNear(numberIn(cells[at] ?? ''), median)]).toEqual([work, records, true]);
      }
    }
  });

  it('computes for a thousand million records from what was measured', () => {
    const { figures, curves } = bench();
    const rows = read('docs/scale.md').matchAll(
      /^\| ([^|]+) \| [^|]+ \| [^|]+ \| ([\d,]+)[^|]+ \| ([\d,.]+) at 10,000,000, by ([\d.]+) \|$/gm,
    );
    const computed = [...rows];
    expect(computed.map(([, work]) => work)).toEqual([
      'point read',
      'page of 50',
      'indexed filter',
      'about',
      'single commit',
      'stream submit',
    ]);
    for (const [, work = '', told = '', rate = '', by = ''] of computed) {
      const curve = curves.find(({ name, engine }) => name === work && engine === 'sqlite');
      const largest = curve?.points.find(({ records }) => records === 10_000_000)?.median ?? Number.NaN;
      const ratio = figures.find(({ name }) => name.startsWith(`${work}, time in trees as deep as`))?.median ?? 0;
      // A ratio below 1 is noise: deep trees are not faster.
      expect([work, isNear(Number(by), Math.max(1, ratio))]).toEqual([work, true]);
      expect([work, isNear(numberIn(rate), largest)]).toEqual([work, true]);
      expect([work, isNear(numberIn(told), largest / Number(by))]).toEqual([work, true]);
    }
  });
});
