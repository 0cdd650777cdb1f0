// What the documents say of the project, held against the project.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT })].map(
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
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...globSync('{docs,examples}/**/*.md', { cwd: ROOT }),
  ];

  it('link to files that are there', () => {
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path} -> ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name npm scripts that exist, and name them all', () => {
    const scripts = Object.keys(manifests[0]?.scripts ?? {});
    const text = read('README.md') + read('CONTRIBUTING.md');
    const named = new Set([...text.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, name = '']) => name));
    expect([...named].filter((name) => !scripts.includes(name) && !['install', 'ci'].includes(name))).toEqual([]);
    const parts = ['lint', 'types'];
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
