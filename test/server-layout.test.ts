// The layout of the server: a folder per feature and a file suffix per layer. Imports go down the layers, and cross
// features only where the map allows it.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/server.ts';

const SERVER = join(ROOT, 'packages/server/src');

/** From bottom to top. A file may import its own layer and those below. `import type` may reach up to the store. */
const LAYERS = ['rule', 'engine', 'sql', 'store', 'operation', 'job', 'http', 'route', 'top'] as const;
type Layer = (typeof LAYERS)[number];

/** Every feature may import these files, whatever the map says. */
const FOUNDATION = ['', 'engine', 'access', 'keys', 'http'];

/** A migration may use feature code to compute values that SQL cannot. */
const EXCEPTIONS: ReadonlySet<string> = new Set(['engine/migration.ts']);

const MAP: Record<string, readonly string[]> = {
  access: ['account', 'component', 'read', 'repository'],
  account: ['repository'],
  action: ['account', 'commit', 'component', 'read', 'repository'],
  admin: ['commit', 'export', 'read', 'search', 'shape'],
  commit: ['action', 'import', 'read', 'repository', 'shape'],
  component: ['action', 'commit', 'read', 'repository'],
  export: ['action', 'commit', 'read', 'repository'],
  graph: ['commit', 'read'],
  http: ['account', 'action', 'admin'],
  import: ['commit', 'export', 'read', 'repository', 'shape'],
  live: ['read', 'repository'],
  mcp: ['read', 'repository'],
  read: ['commit', 'graph', 'repository', 'search', 'shape'],
  repository: ['account', 'action', 'commit', 'export', 'read', 'stream'],
  search: ['read'],
  shape: ['commit', 'component', 'read'],
  site: ['read'],
  stream: ['action', 'commit', 'read', 'repository', 'shape'],
};

function layerOf(file: string): Layer {
  const folder = file.split('/')[0] ?? '';
  if (/^(store|writes|writer-thread)\.ts$/.test(file) || file.endsWith('-thread.ts')) return 'store';
  if (/^(procedures|config|settings|setting-value|public-url|log)\.ts$/.test(file)) return 'operation';
  if (!file.includes('/')) return 'top';
  if (file.endsWith('.rule.ts')) return 'rule';
  if (folder === 'engine') return 'engine';
  if (/\.(sql|write)\.ts$/.test(file)) return 'sql';
  if (file.endsWith('.job.ts')) return 'job';
  if (file.endsWith('.route.ts')) return 'route';
  if (folder === 'http') return 'http';
  return 'operation';
}

const featureOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

/** Only some files may import these packages and built-in modules. */
const PACKAGES: Record<string, RegExp> = {
  hono: /^http\/|\.route\.ts$/,
  '@modelcontextprotocol/server': /^mcp\//,
  'oidc-provider': /^account\/oauth\//,
  'openid-client': /^account\/external\/openid\.ts$/,
  nodemailer: /^mail\/smtp\.ts$/,
  postgres: /^engine\/postgres\/connection\.ts$/,
  'node:sqlite': /^engine\/sqlite\/connection\.ts$/,
  'node:worker_threads': /^engine\/thread\.ts$|-thread\.ts$/,
  '@bradenmacdonald/s3-lite-client': /^export\/s3-store\.ts$/,
  marked: /^site\//,
  'highlight.js': /^site\/render\.ts$/,
  jose: /^keys\//,
  standardwebhooks: /^action\/delivery\//,
  pino: /^(log|server|background|config|settings)\.ts$|^(http|mail)\//,
  'prom-client': /^http\/metrics\.ts$/,
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

function importsOf(file: string): Import[] {
  const source = readFileSync(join(SERVER, file), 'utf8');
  const statements = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g,
  );
  return [...statements].map(([, type, named, dynamic]) => {
    const to = named ?? dynamic ?? '';
    const path = to.startsWith('.') ? normalize(join(dirname(file), to)) : to;
    return { from: file, to: path, typeOnly: type !== undefined, dynamic: dynamic !== undefined };
  });
}

function goesUp({ from, to, typeOnly }: Import): boolean {
  const [low, high] = [LAYERS.indexOf(layerOf(from)), LAYERS.indexOf(layerOf(to))];
  return high > low && !(typeOnly && high <= LAYERS.indexOf('store'));
}

describe('the layout of the server', () => {
  const files = globSync('**/*.ts', { cwd: SERVER }).filter((file) => !file.endsWith('.test.ts'));
  const all = files.flatMap(importsOf);
  const imports = all.filter(({ to }) => to.endsWith('.ts'));

  it('lets imports go down only', () => {
    expect(imports.length).toBeGreaterThan(1_000);
    expect(
      imports
        .filter((one) => goesUp(one) && !EXCEPTIONS.has(one.from))
        .map(({ from, to }) => `${from} (${layerOf(from)}) -> ${to} (${layerOf(to)})`),
    ).toEqual([]);
  });

  it('leaves packages to the files that are made for them', () => {
    const packageOf = (to: string) =>
      to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/');
    const rest = all.filter(({ to }) => !to.endsWith('.ts')).map(({ from, to }) => ({ from, name: packageOf(to) }));
    expect(rest.filter(({ from, name }) => PACKAGES[name]?.test(from) === false)).toEqual([]);
    const known = new Set([...Object.keys(PACKAGES), '@cairn/protocol', '@cairn/model', 'zod']);
    expect(rest.filter(({ name }) => !known.has(name) && !name.startsWith('node:'))).toEqual([]);
  });

  it('starts the commands of operators without the server', () => {
    expect(
      all.filter(({ from, to, dynamic }) => from === 'admin.ts' && !dynamic && /^(main|server|app)\.ts$/.test(to)),
    ).toEqual([]);
  });

  it('lets a feature use others as the map says, and none of their routes', () => {
    const used = new Map<string, Set<string>>();
    for (const { from, to, typeOnly } of imports) {
      const [user, feature] = [featureOf(from), featureOf(to)];
      if (typeOnly || EXCEPTIONS.has(from)) continue;
      if (user === feature || user === '' || FOUNDATION.includes(feature)) continue;
      used.set(user, (used.get(user) ?? new Set()).add(feature));
      expect([from, to.endsWith('.route.ts') && layerOf(from) !== 'top']).toEqual([from, false]);
    }
    const found = Object.fromEntries([...used].sort().map(([user, features]) => [user, [...features].sort()]));
    expect(found).toEqual(MAP);
  });
});
