// The direction of dependencies: who may import whom. Each folder lists what it may import; anything else is refused,
// so that a rule cannot be left out unnoticed.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/server.ts';

/** A unit is a folder (or single file) of sources; `node:` stands for every built-in module. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: ['protocol', 'zod'],
  sdk: ['sdk', 'protocol', '@trpc/client', '@trpc/server', 'node:'],
  cli: [
    'cli',
    'sdk',
    'protocol',
    'server/admin',
    'commander',
    'node:',
    '@clack/prompts',
    'fast-string-truncated-width',
    'openid-client',
  ],
  'server/main': [
    'server/server',
    'server/processes',
    'server/config',
    'server/log',
    'server/heap',
    'server/start-problem',
    'protocol',
  ],
  'server/log': ['pino'],
  'server/admin': [
    'server/backup',
    'server/verify',
    'server/blobs',
    'server/main',
    'server/config',
    'server/auth',
    'server/model',
    'server/operations',
    'server/store',
    'protocol',
    'node:',
  ],
  'server/backup': ['server/backup', 'server/auth', 'server/store', 'protocol', 'zod', 'node:'],
  'server/verify': ['server/verify', 'server/model', 'server/store', 'protocol', 'node:'],
  'server/config': [
    'server/settings',
    'server/blobs',
    'server/external',
    'server/mail',
    'server/store',
    'protocol',
    'node:',
  ],
  'server/settings': ['server/setting-value', 'server/blobs', 'server/mail', 'server/store', 'protocol', 'node:'],
  'server/setting-value': ['node:'],
  'server/external': ['server/external', 'protocol', 'openid-client'],
  'server/mail': ['server/mail', 'protocol', 'nodemailer', 'pino', 'node:'],
  'server/blobs': ['server/blobs', '@bradenmacdonald/s3-lite-client', 'node:'],
  'server/http-server': ['protocol', 'pino', 'node:'],
  'server/processes': [
    'server/processes',
    'server/auth',
    'server/background',
    'server/blobs',
    'server/config',
    'server/http-server',
    'server/log',
    'server/operations',
    'server/outbound',
    'server/public-url',
    'server/routes/edge',
    'server/server',
    'server/heap',
    'server/start-problem',
    'server/store',
    'pino',
    'node:',
  ],
  'server/background': [
    'server/auth',
    'server/blobs',
    'server/config',
    'server/jobs',
    'server/operations',
    'server/outbound',
    'server/store',
    'pino',
  ],
  'server/heap': ['node:'],
  'server/start-problem': ['server/config'],
  'server/public-url': [],
  'server/server': [
    'server/app',
    'server/background',
    'server/public-url',
    'server/http-server',
    'server/auth',
    'server/blobs',
    'server/config',
    'server/external',
    'server/mail',
    'server/operations',
    'server/outbound',
    'server/routes/edge',
    'server/store',
    'protocol',
    '@hono/node-server',
    'pino',
    'node:',
  ],
  'server/app': ['server/routes', 'server/routes/edge', 'protocol', 'hono'],
  'server/routes': [
    'server/routes/edge',
    'server/docs',
    'server/mcp',
    'server/oauth',
    'server/operations',
    'protocol',
    'hono',
    'oidc-provider',
    '@trpc/server',
    'node:',
    'zod',
  ],
  'server/mcp': ['server/mcp', 'server/operations', 'protocol', '@modelcontextprotocol/server', 'zod'],
  'server/oauth': ['server/oauth', 'server/auth', 'server/outbound', 'server/store', 'oidc-provider', 'node:'],
  'server/routes/edge': [
    'server/routes/edge',
    'server/operations',
    'server/auth',
    'server/blobs',
    'server/config',
    'server/external',
    'server/mail',
    'server/outbound',
    'server/store',
    'protocol',
    'hono',
    '@hono/node-server',
    '@trpc/server',
    'pino',
    'prom-client',
    'zod',
    'node:',
  ],
  'server/jobs': ['server/jobs', 'server/blobs', 'server/operations', 'server/store', 'protocol', 'node:'],
  'server/operations': [
    'server/operations',
    'server/auth',
    'server/blobs',
    'server/model',
    'server/store',
    'server/live',
    'server/external',
    'server/mail',
    'server/outbound',
    'protocol',
    'node:',
  ],
  'server/docs': ['server/docs', 'marked', 'node:'],
  'server/outbound': ['server/outbound', 'protocol', 'node:'],
  'server/auth': ['server/auth', 'server/store', 'protocol', 'jose', 'standardwebhooks', 'node:'],
  'server/live': ['server/live', 'protocol', 'node:'],
  'server/model': ['server/model', 'protocol', 're2js'],
  'server/store': ['server/store', 'server/model', 'protocol', 'postgres', 'node:'],
  'web/main': ['web/app', 'web/look', '@tanstack/react-query', '@tanstack/react-router', 'react', 'react-dom'],
  'web/app': [
    'web/app',
    'web/data',
    'web/pages',
    'web/parts',
    'sdk',
    'protocol',
    '@tanstack/react-query',
    '@tanstack/react-router',
    'react',
  ],
  'web/pages': [
    'web/pages',
    'web/app',
    'web/data',
    'web/demo',
    'web/look',
    'web/parts',
    'sdk',
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
  'web/parts': [
    'web/parts',
    'web/app',
    'web/data',
    'web/look',
    'sdk',
    'protocol',
    '@tanstack/react-query',
    '@tanstack/react-router',
    'diff',
    'radix-ui',
    'react',
    'react-dom',
  ],
  'web/data': ['web/data', 'web/app', 'sdk', 'protocol', '@tanstack/react-query'],
  'web/demo': ['sdk'],
};

/** Narrower than folders: what only one file, or only types, may do. */
const ONLY_IN: Record<string, RegExp> = {
  // Loaded where there are two texts to compare.
  diff: /^web\/src\/parts\/line-difference\.tsx$/,
  'openid-client': /^(server\/src\/external\/openid|cli\/src\/oauth)\.ts$/,
  nodemailer: /^server\/src\/mail\/smtp\.ts$/,
  postgres: /^server\/src\/store\/postgres-connection\.ts$/,
  '@bradenmacdonald/s3-lite-client': /^server\/src\/blobs\/s3-store\.ts$/,
  'node:sqlite': /^server\/src\/store\/sqlite-connection\.ts$/,
  'node:worker_threads': /^server\/src\/store\/[a-z-]*thread\.ts$/,
};

/** The SDK runs in browsers too: what needs a machine with files is here, and is loaded when it is called. */
const SDK_WITH_FILES = 'sdk/src/export-file.ts';

/** Files of the protocol that are schemas, and so bring zod with them. */
const CARRYING_ZOD: ReadonlySet<string> = new Set(
  globSync('packages/protocol/src/*.ts', { cwd: ROOT })
    .filter((file) => /from 'zod'/.test(readFileSync(join(ROOT, file), 'utf8')))
    .map((file) => `@cairn/protocol/${basename(file, '.ts')}`),
);

interface Import {
  readonly file: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
  /** `import()`, when it is needed. */
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

/** `server/src/routes/edge/body.ts` belongs to `server/routes/edge`; a file at the top of the server to itself. */
function unitOf(path: string): string {
  const [, name = '', rest = ''] = /^([^/]+)\/(?:src|bin)\/(.*)$/.exec(path) ?? [];
  if (name !== 'server' && name !== 'web') return name;
  const folder = dirname(rest);
  return folder === '.'
    ? `${name}/${rest.replace(/\.tsx?$/, '')}`
    : `${name}/${folder.startsWith('routes/edge') ? 'routes/edge' : folder.split('/')[0]}`;
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
  // The SDK must not drag zod into its users' bundles; the command would start in twice the time with it.
  if (
    (from === 'sdk' || from === 'cli' || from.startsWith('web/')) &&
    CARRYING_ZOD.has(found.specifier) &&
    !found.typeOnly
  )
    return `${said}: as a type only`;
  if (from === 'server/admin' && to === 'server/main' && !found.dynamic)
    return `${said}: by import(), so that other commands start without the server`;
  if (
    from === 'cli' &&
    to === 'server/admin' &&
    !/^cli\/src\/(commands\/(serve|admin(-backup|-distribute|-verify|-purge)?|setup)|manifest-file)\.ts$/.test(
      found.file,
    )
  )
    return `${said}: only serve, setup, admin and the check of manifests may`;
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
    const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.map(violation).filter((found) => found !== undefined)).toEqual([]);
  });

  it.each([
    ['server/src/store/token.ts', '../operations/access.ts', 'the store does not know operations'],
    ['server/src/store/token.ts', '../auth/token.ts', 'the store does not know authentication'],
    ['server/src/store/token.ts', 'postgres', 'only the connection knows the driver'],
    ['server/src/store/token.ts', 'hono', 'the store does not know HTTP'],
    ['server/src/store/token.ts', 'node:sqlite', 'only the connection knows the driver'],
    ['server/src/store/token.ts', 'node:worker_threads', 'only threads know threads'],
    ['server/src/model/shape.ts', '../store/token.ts', 'the model does not know storage'],
    ['server/src/operations/repo.ts', 're2js', 'only the model knows how patterns run'],
    ['server/src/operations/repo.ts', '../routes/rpc.ts', 'operations do not know routes'],
    ['server/src/operations/repo.ts', 'hono', 'operations do not know Hono'],
    ['server/src/operations/repo.ts', '@trpc/server', 'operations do not know tRPC'],
    ['server/src/operations/repo.ts', 'node:sqlite', 'operations do not know drivers'],
    ['server/src/operations/repo.ts', '../config.ts', 'operations are given what they need of the settings'],
    ['server/src/routes/rpc.ts', './health.ts', 'routes do not know each other'],
    ['server/src/routes/rpc.ts', '../store/token.ts', 'routes reach the store through operations'],
    ['server/src/routes/rpc.ts', '../jobs/delivery.ts', 'jobs stand beside routes'],
    ['server/src/jobs/delivery.ts', '../routes/rpc.ts', 'jobs stand beside routes'],
    ['server/src/live/fan-out.ts', '../store/token.ts', 'live is a leaf'],
    ['server/src/live/fan-out.ts', '../operations/repo.ts', 'live is a leaf'],
    ['sdk/src/client.ts', '@cairn/server/admin', 'the SDK does not know the server'],
    ['sdk/src/client.ts', 'node:fs', 'the SDK runs in browsers'],
    ['sdk/src/export-file.ts', 'node:fs', 'the SDK loads in browsers'],
    ['sdk/src/client.ts', 'zod', 'the SDK carries no zod'],
    ['sdk/src/client.ts', '@cairn/protocol/procedures', 'the SDK takes schemas as types only'],
    ['sdk/src/client.ts', '@cairn/protocol/repository', 'the SDK takes schemas as types only'],
    ['protocol/src/errors.ts', '@cairn/sdk', 'the protocol knows nobody'],
    ['protocol/src/errors.ts', 'node:fs', 'the protocol runs anywhere'],
    ['cli/src/commands/repo.ts', '@cairn/server/admin', 'the CLI reaches the server by serve, setup and admin alone'],
    ['cli/src/commands/repo.ts', '@cairn/protocol/read', 'the CLI takes schemas as types only'],
    ['server/src/admin.ts', './main.ts', 'commands of operators start without the server'],
    ['server/src/admin.ts', './server.ts', 'commands of operators start without the server'],
    ['cli/src/commands/admin.ts', '@cairn/server/store', 'the CLI has one door into the server'],
    ['web/src/pages/home.tsx', '@cairn/server/admin', 'the explorer knows the SDK alone'],
    ['web/src/data/queries.ts', '@trpc/client', 'the explorer knows the SDK alone'],
    ['web/src/data/queries.ts', '@cairn/protocol/read', 'the explorer takes schemas as types only'],
    ['web/src/parts/text.tsx', 'react-markdown', 'what is large is loaded by the page that needs it'],
    ['web/src/data/queries.ts', '../pages/home.tsx', 'data does not know pages'],
  ])('refuses that %s imports %s: %s', (file, specifier) => {
    expect(violation({ file, specifier, typeOnly: false })).toBeDefined();
  });

  it('allows nothing that nobody imports, in folders that are there', () => {
    const used = new Map<string, Set<string>>();
    for (const [file, source] of sources) {
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
      new Set(['cli/src/io.ts', 'sdk/src/environment.ts', 'server/src/config.ts']),
    );
    expect(using(/process\.exit\(/)).toEqual(['server/src/main.ts', 'server/src/processes/run-child.ts']);
  });
});

describe('the look of the explorer', () => {
  // All of it is one file in the end: of two rules for the same, the later one would win on every page.
  it('has no rule for the same in two files', () => {
    const look = join(ROOT, 'packages/web/src/look');
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
