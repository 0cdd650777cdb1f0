// `npm run build`: writes the packages to publish into dist/, compiled, with types and with exports that point to them.
// The CLI becomes one bundled file; the others stay as they are laid out.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const COMPILED = join(DIST, '.compiled');

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  type: 'module';
  exports?: Record<string, unknown>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  engines?: Record<string, string>;
  files?: string[];
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function compile(): void {
  rmSync(DIST, { recursive: true, force: true });
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json')], { stdio: 'inherit' });
}

/** `./src/admin.ts` in the checkout is `./admin.js`, with types beside it, in the published package. */
function publishedExports(exports: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(exports).map(([path, source]) => {
      const file = String(source).replace('./src/', './').replace(/\.ts$/, '');
      return [path, { types: `${file}.d.ts`, default: `${file}.js` }];
    }),
  );
}

function writePackage(name: string, change: (manifest: Manifest) => Manifest = (manifest) => manifest): void {
  const manifest = manifestOf(join(ROOT, 'packages', name));
  const published = { ...manifest, ...(manifest.exports && { exports: publishedExports(manifest.exports) }) };
  mkdirSync(join(DIST, name), { recursive: true });
  writeFileSync(join(DIST, name, 'package.json'), `${JSON.stringify(change(published), null, 2)}\n`);
  cpSync(join(ROOT, 'LICENSE'), join(DIST, name, 'LICENSE'));
}

function buildLibrary(name: string): void {
  cpSync(join(COMPILED, name, 'src'), join(DIST, name), { recursive: true });
  writePackage(name);
}

function buildServer(): void {
  buildLibrary('server');
  // Only published: in the checkout the launcher finds a Node, and npm's warning would frighten newcomers.
  writePackage('server', (manifest) => ({ ...manifest, engines: { node: '>=24.7' } }));
  cpSync(join(ROOT, 'packages/server/src/store/migrations'), join(DIST, 'server/store/migrations'), {
    recursive: true,
  });
  cpSync(join(ROOT, 'packages/web/public'), join(DIST, 'server/web'), { recursive: true });
  // Beside server/docs, which is the code that serves them.
  cpSync(join(ROOT, 'docs'), join(DIST, 'server/documentation'), { recursive: true });
}

async function buildCli(): Promise<void> {
  const bundle = await rolldown({
    input: join(COMPILED, 'cli/src/main.js'),
    platform: 'node',
    external: [/^node:/, /^@cairn\/server/],
  });
  // Smaller is faster to start; names stay, so that a report of an error can be read.
  const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const;
  await bundle.write({ file: join(DIST, 'cli/main.js'), format: 'esm', minify });
  await bundle.close();
  cpSync(join(ROOT, 'run.mjs'), join(DIST, 'cli/run.mjs'));
  const entry = readFileSync(join(ROOT, 'packages/cli/bin/cairn.mjs'), 'utf8');
  const bin = join(DIST, 'cli/cairn.mjs');
  writeFileSync(bin, entry.replace('../../../run.mjs', './run.mjs').replace('../src/main.ts', './main.js'));
  chmodSync(bin, 0o755);
  const { optionalDependencies = {} } = manifestOf(ROOT);
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-linux-'));
  writePackage('cli', ({ dependencies = {}, ...manifest }) => ({
    ...manifest,
    bin: { cairn: 'cairn.mjs' },
    // Everything else is inside the bundle.
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => name === '@cairn/server')),
    optionalDependencies: Object.fromEntries(nodes),
  }));
}

compile();
buildLibrary('protocol');
buildLibrary('sdk');
buildServer();
await buildCli();
rmSync(COMPILED, { recursive: true });
