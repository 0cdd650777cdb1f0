// The direction of dependencies. Each folder lists the units that it may import. Any other import fails the test, so no
// rule can be forgotten.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/server.ts';

/** A unit is a folder (or single file) of sources; `node:` stands for every built-in module. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: ['protocol', 'zod'],
  model: ['model', 'protocol', 're2js'],
  sdk: ['sdk', 'protocol', '@trpc/client', '@trpc/server', 'node:'],
  cli: [
    'cli',
    'sdk',
    'model',
    'protocol',
    'server/admin',
    'commander',
    'node:',
    '@clack/prompts',
    'fast-string-truncated-width',
    'openid-client',
  ],
  'web/main': ['web/app', 'web/ui', '@tanstack/react-query', '@tanstack/react-router', 'react', 'react-dom'],
  'web/app': [
    'web/app',
    'web/features',
    'web/ui',
    'sdk',
    'protocol',
    '@tanstack/react-query',
    '@tanstack/react-router',
    'react',
  ],
  'web/features': [
    'web/features',
    'web/app',
    'web/ui',
    'sdk',
    'model',
    'protocol',
    '@codemirror/autocomplete',
    '@codemirror/commands',
    '@codemirror/lang-json',
    '@codemirror/language',
    '@codemirror/lint',
    '@codemirror/state',
    '@codemirror/view',
    '@tanstack/react-query',
    '@tanstack/react-router',
    '@tanstack/react-virtual',
    'diff',
    'graphology',
    'graphology-layout-forceatlas2',
    'graphology-types',
    'radix-ui',
    'react',
    'react-markdown',
    'remark-gfm',
    'sigma',
    'uplot',
  ],
  'web/ui': [
    'web/ui',
    'web/app',
    'sdk',
    'model',
    '@tanstack/react-query',
    '@tanstack/react-router',
    'react',
    'react-dom',
  ],
};

/** Packages that only one file may import, or that may be imported only as types. */
const ONLY_IN: Record<string, RegExp> = {
  diff: /^web\/src\/features\/commit\/line-difference\.tsx$/,
  'openid-client': /^cli\/src\/oauth\.ts$/,
};

/** The SDK also runs in browsers. Code that needs a file system is in this file, which is loaded on demand. */
const SDK_WITH_FILES = 'sdk/src/export-file.ts';

/** Protocol files with schemas. Importing one of them also imports zod. */
const CARRYING_ZOD: ReadonlySet<string> = new Set(
  globSync('packages/protocol/src/**/*.ts', { cwd: ROOT })
    .filter((file) => /from 'zod'/.test(readFileSync(join(ROOT, file), 'utf8')))
    .map((file) => file.replace(/^packages\/protocol\/src\/(.*)\.ts$/, '@cairn/protocol/$1')),
);

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly dynamic?: boolean;
}

function importsOf(file: string, source: string): Import[] {
  const statements = source.matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\((?:\/\* \w+: true \*\/ )?'([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g,
  );
  return [...statements].map(([, type, from, dynamic, bare]) => ({
    file,
    specifier: from ?? dynamic ?? bare ?? '',
    typeOnly: type !== undefined,
    dynamic: dynamic !== undefined,
  }));
}

/**
 * Packages are units, and so are the folders of the explorer. server-layout.test.ts covers the folders of the server.
 */
function unitOf(path: string): string {
  const [, name = '', rest = ''] = /^([^/]+)\/(?:src|bin)\/(.*)$/.exec(path) ?? [];
  if (name !== 'web') return name;
  const folder = dirname(rest);
  return folder === '.' ? `${name}/${rest.replace(/\.tsx?$/, '')}` : `${name}/${folder.split('/')[0]}`;
}

function targetOf({ file, specifier }: Import): string {
  if (specifier.startsWith('.')) return unitOf(normalize(join(dirname(file), specifier)));
  const own = /^@cairn\/([a-z]+)(?:\/(.*))?$/.exec(specifier);
  if (own !== null) return own[1] === 'server' ? `server/${own[2]}` : (own[1] ?? '');
  if (specifier.startsWith('node:')) return 'node:';
  return specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? '');
}

function violation(found: Import): string | undefined {
  const from = unitOf(found.file);
  const to = targetOf(found);
  const said = `${found.file} imports ${found.specifier}`;
  if (!MAY_IMPORT[from]?.includes(to)) return `${said}: ${from} may not import ${to}`;
  const only = ONLY_IN[found.specifier];
  if (only !== undefined && !only.test(found.file)) return `${said}: only ${only} may`;
  if (from === 'sdk' && to === 'node:' && !mayUseNode(found)) return `${said}: only ${SDK_WITH_FILES}, and by import()`;
  // zod must stay out of SDK users' bundles. It would also double the start time of the command.
  if (
    (from === 'sdk' || from === 'cli' || from.startsWith('web/')) &&
    CARRYING_ZOD.has(found.specifier) &&
    !found.typeOnly
  )
    return `${said}: as a type only`;
  if (
    from === 'cli' &&
    to === 'server/admin' &&
    !/^cli\/src\/(commands\/(serve|admin|admin-data|component-registry))\.ts$/.test(found.file)
  )
    return `${said}: only serve, admin and the check of manifests may`;
  return undefined;
}

function mayUseNode({ file, typeOnly, dynamic = false }: Import): boolean {
  return file === SDK_WITH_FILES && (typeOnly || dynamic);
}

describe('the direction of dependencies', () => {
  const files = globSync('*/src/**/*.{ts,tsx}', { cwd: join(ROOT, 'packages') }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const sources = new Map(files.map((file) => [file, readFileSync(join(ROOT, 'packages', file), 'utf8')]));

  it('is kept by every import', () => {
    const imports = [...sources]
      .filter(([file]) => !file.startsWith('server/'))
      .flatMap(([file, source]) => importsOf(file, source));
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.map(violation).filter((found) => found !== undefined)).toEqual([]);
  });

  it.each([
    ['sdk/src/client.ts', '@cairn/server/admin', 'the SDK does not know the server'],
    ['sdk/src/client.ts', 'node:fs', 'the SDK runs in browsers'],
    ['sdk/src/export-file.ts', 'node:fs', 'the SDK loads in browsers'],
    ['sdk/src/client.ts', 'zod', 'the SDK carries no zod'],
    ['sdk/src/client.ts', '@cairn/protocol/procedures', 'the SDK takes schemas as types only'],
    ['sdk/src/client.ts', '@cairn/protocol/organization', 'the SDK takes schemas as types only'],
    ['protocol/src/errors.ts', '@cairn/sdk', 'the protocol knows nobody'],
    ['protocol/src/errors.ts', 'node:fs', 'the protocol runs anywhere'],
    ['protocol/src/errors.ts', '@cairn/model/wref', 'the protocol knows nobody'],
    ['model/src/wref.ts', 'node:fs', 'the model runs in browsers'],
    [
      'cli/src/commands/repo.ts',
      '@cairn/server/admin',
      'the CLI reaches the server by serve, admin and manifests alone',
    ],
    ['cli/src/commands/repo.ts', '@cairn/protocol/read', 'the CLI takes schemas as types only'],
    ['cli/src/commands/admin.ts', '@cairn/server/store', 'the CLI has one door into the server'],
    ['web/src/features/home/home.tsx', '@cairn/server/admin', 'the explorer knows the SDK alone'],
    ['web/src/app/queries.ts', '@trpc/client', 'the explorer knows the SDK alone'],
    ['web/src/app/queries.ts', '@cairn/protocol/read', 'the explorer takes schemas as types only'],
    ['web/src/ui/text.tsx', 'react-markdown', 'what is large is loaded by the page that needs it'],
  ])('refuses that %s imports %s: %s', (file, specifier) => {
    expect(violation({ file, specifier, typeOnly: false })).toBeDefined();
  });

  it('allows nothing that nobody imports, in folders that are there', () => {
    const used = new Map<string, Set<string>>();
    for (const [file, source] of sources) {
      if (file.startsWith('server/')) continue;
      const targets = used.get(unitOf(file)) ?? new Set();
      for (const found of importsOf(file, source)) targets.add(targetOf(found));
      used.set(unitOf(file), targets);
    }
    const spare = Object.entries(MAY_IMPORT).flatMap(([unit, targets]) => {
      const imported = used.get(unit);
      if (imported === undefined) return [`${unit} is not there`];
      return targets.filter((to) => to !== unit && !imported.has(to)).map((to) => `${unit} -> ${to}`);
    });
    expect(spare).toEqual([]);
  });

  it('reads the environment in one file of each program, and ends each kind of process in one', () => {
    const using = (pattern: RegExp) => [...sources].filter(([, source]) => pattern.test(source)).map(([file]) => file);
    expect(new Set(using(/process(\.|\?\.)env\b/))).toEqual(
      new Set(['cli/src/io.ts', 'sdk/src/client.ts', 'server/src/config.ts']),
    );
    expect(using(/process\.exit\(/)).toEqual(['server/src/main.ts']);
  });
});

describe('the size of the house', () => {
  const files = globSync('*/src/**/*.{ts,tsx}', { cwd: join(ROOT, 'packages') }).filter(
    (file) => !/\.test\.ts$|\.d\.ts$/.test(file),
  );

  it('has at most 30 source files in a folder', () => {
    const counts = Map.groupBy(files, (file) => dirname(file));
    expect([...counts].filter(([, found]) => found.length > 30).map(([folder]) => folder)).toEqual([]);
  });

  it('defines no name of a file in more than five files', () => {
    const definitions =
      /^(?:export )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm;
    const places = new Map<string, Set<string>>();
    for (const file of files) {
      for (const [, name = ''] of readFileSync(join(ROOT, 'packages', file), 'utf8').matchAll(definitions))
        places.set(name, (places.get(name) ?? new Set()).add(file));
    }
    expect(places.size).toBeGreaterThan(1_000);
    expect([...places].filter(([, found]) => found.size > 5).map(([name]) => name)).toEqual([]);
  });

  it('keeps small files with one importer few', () => {
    const importers = new Map<string, Set<string>>();
    for (const file of files) {
      for (const { specifier } of importsOf(file, readFileSync(join(ROOT, 'packages', file), 'utf8'))) {
        const target = normalize(join(dirname(file), specifier));
        importers.set(target, (importers.get(target) ?? new Set()).add(file));
      }
    }
    const isSmall = (file: string) => readFileSync(join(ROOT, 'packages', file), 'utf8').split('\n').length <= 60;
    expect(files.filter((file) => importers.get(file)?.size === 1 && isSmall(file)).length).toBeLessThanOrEqual(80);
  });
});

describe('the look of the explorer', () => {
  // All CSS ends up in one file. If two rules share a selector, the later one wins on every page.
  it('has no rule for the same in two files', () => {
    const look = join(ROOT, 'packages/web/src/ui/css');
    const places = new Map<string, Set<string>>();
    for (const file of globSync('*.css', { cwd: look })) {
      for (const [, selector = ''] of readFileSync(join(look, file), 'utf8').matchAll(
        /^([^\s@}/][^;{}]*?)(?:,| \{)$/gm,
      ))
        places.set(selector, (places.get(selector) ?? new Set()).add(file));
    }
    expect(places.size).toBeGreaterThan(100);
    expect([...places].filter(([, files]) => files.size > 1)).toEqual([]);
  });
});
