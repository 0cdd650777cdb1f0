// The layout of the server: a folder for each feature, a suffix for each layer. Imports go down the layers, and from feature to
// feature only where the map says so.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/server.ts';

const SERVER = join(ROOT, 'packages/server/src');

/** From the bottom to the top. A file may import its own layer and those below; `import type` may reach up to the store. */
const LAYERS = ['rule', 'engine', 'sql', 'store', 'operation', 'job', 'http', 'route', 'top'] as const;
type Layer = (typeof LAYERS)[number];

/** Files that every feature may build on, whatever the map says. */
const FOUNDATION = ['', 'engine', 'model', 'access', 'keys', 'http'];

/** Which other features a feature may use. */
const MAP: Record<string, readonly string[]> = {};

export function layerOf(file: string): Layer {
  const folder = file.split('/')[0] ?? '';
  if (/^(store|writes|writer-thread)\.ts$/.test(file) || file.endsWith('-thread.ts')) return 'store';
  if (/^(procedures|config|settings|setting-value|public-url|log)\.ts$/.test(file)) return 'operation';
  if (!file.includes('/')) return 'top';
  if (folder === 'model' || file.endsWith('.rule.ts')) return 'rule';
  if (folder === 'engine') return 'engine';
  if (/\.(sql|write)\.ts$/.test(file)) return 'sql';
  if (file.endsWith('.job.ts')) return 'job';
  if (file.endsWith('.route.ts')) return 'route';
  if (folder === 'http') return 'http';
  return folder === 'processes' ? 'top' : 'operation';
}

const featureOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const source = readFileSync(join(SERVER, file), 'utf8');
  const statements = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/g,
  );
  return [...statements].map(([, type, from, dynamic]) => ({
    from: file,
    to: normalize(join(dirname(file), from ?? dynamic ?? '')),
    typeOnly: type !== undefined,
  }));
}

function goesUp({ from, to, typeOnly }: Import): boolean {
  const [low, high] = [LAYERS.indexOf(layerOf(from)), LAYERS.indexOf(layerOf(to))];
  return high > low && !(typeOnly && high <= LAYERS.indexOf('store'));
}

describe('the layout of the server', () => {
  const files = globSync('**/*.ts', { cwd: SERVER }).filter((file) => !file.endsWith('.test.ts'));
  const imports = files.flatMap(importsOf);

  it('lets imports go down only', () => {
    expect(imports.length).toBeGreaterThan(1_000);
    expect(
      imports.filter(goesUp).map(({ from, to }) => `${from} (${layerOf(from)}) -> ${to} (${layerOf(to)})`),
    ).toEqual([]);
  });

  it('lets a feature use others as the map says, and none of their routes', () => {
    const used = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      const [user, feature] = [featureOf(from), featureOf(to)];
      if (user === feature || user === '' || FOUNDATION.includes(feature)) continue;
      used.set(user, (used.get(user) ?? new Set()).add(feature));
      expect([from, to.endsWith('.route.ts') && layerOf(from) !== 'top']).toEqual([from, false]);
    }
    const found = Object.fromEntries([...used].sort().map(([user, features]) => [user, [...features].sort()]));
    expect(found).toEqual(MAP);
  });
});
