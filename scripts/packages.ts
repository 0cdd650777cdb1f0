// Bundles the server and the CLI as they are published, so that they start from few files. `npm run build` writes the
// packages with types. Tests write them without types and start processes from them.
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const SERVER = join(ROOT, 'packages/server/src');

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

/** `./src/admin.ts` in the checkout becomes `./admin.js` in the published package, with its types next to it. */
function publishedExports(exports: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(exports).map(([path, source]) => {
      const file = String(source).replace('./src/', './').replace(/\.ts$/, '');
      return [path, { types: `${file}.d.ts`, default: `${file}.js` }];
    }),
  );
}

export function writeManifest(
  name: string,
  folder: string,
  change: (manifest: Manifest) => Manifest = (manifest) => manifest,
): void {
  const manifest = manifestOf(join(ROOT, 'packages', name));
  const published = { ...manifest, ...(manifest.exports && { exports: publishedExports(manifest.exports) }) };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(change(published), null, 2)}\n`);
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

/** The server's dependencies stay external, so that operators can see and replace their versions. */
const DEPENDENCIES = /^(?!@cairn\/)[@a-z]/;

/** A server with bundled dependencies starts in three quarters of the time. */
export const BUNDLED = /^(node:|oidc-provider$)/;

/** All files go into one folder: code finds a file next to its own, whichever chunk it is in. */
export async function writeServer(folder: string, external = DEPENDENCIES): Promise<void> {
  await bundleServer(folder, external);
  // Only in the published package: in the checkout the launcher finds a Node, and npm's warning would alarm newcomers.
  writeManifest('server', folder, (manifest) => ({ ...manifest, engines: { node: '>=24.7' } }));
  for (const [from, to] of [
    [join(ROOT, 'packages/web/dist'), 'web'],
    [join(ROOT, 'docs'), 'documentation'],
  ] as const) {
    cpSync(from, join(folder, to), { recursive: true });
  }
}

/** Returns the names of the written files. */
export async function bundleServer(folder: string, external: RegExp): Promise<string[]> {
  const threads = globSync('**/*-thread.ts', { cwd: SERVER });
  const entries = ['main.ts', 'admin.ts', ...threads];
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((file) => [basename(file, '.ts'), join(SERVER, file)])),
    platform: 'node',
    external,
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    minify: MINIFY,
  });
  await bundle.close();
  for (const { fileName } of output) writeInOneByte(join(folder, fileName));
  cpSync(join(SERVER, 'engine/migrations'), join(folder, 'migrations'), { recursive: true });
  return output.map(({ fileName }) => fileName);
}

/** Node keeps the source text in memory, with two bytes per character if one of them is beyond Latin-1. */
function writeInOneByte(file: string): void {
  const text = readFileSync(file, 'utf8');
  // A raw template would not interpret the escape.
  if (/String\.raw`[^`]*[^\0-\xff]/.test(text)) throw new Error(`${file} has a raw template that is not Latin-1.`);
  const escaped = text.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) writeFileSync(file, escaped);
}

/** Smaller files load faster. Names stay, so that error reports are readable. */
const MINIFY = { compress: true, mangle: false, codegen: { removeWhitespace: true } } as const;

export async function writeCli(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: join(ROOT, 'packages/cli/src/main.ts'),
    platform: 'node',
    external: [/^node:/, /^@cairn\/server/],
  });
  await bundle.write({ file: join(folder, 'main.js'), format: 'esm', minify: MINIFY });
  await bundle.close();
  writeInOneByte(join(folder, 'main.js'));
  cpSync(join(ROOT, 'run.mjs'), join(folder, 'run.mjs'));
  const entry = readFileSync(join(ROOT, 'packages/cli/bin/cairn.mjs'), 'utf8');
  const bin = join(folder, 'cairn.mjs');
  writeFileSync(bin, entry.replace('../../../run.mjs', './run.mjs').replace('../src/main.ts', './main.js'));
  chmodSync(bin, 0o755);
  const { optionalDependencies = {} } = manifestOf(ROOT);
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-linux-'));
  writeManifest('cli', folder, ({ dependencies = {}, ...manifest }) => ({
    ...manifest,
    bin: { cairn: 'cairn.mjs' },
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => name === '@cairn/server')),
    optionalDependencies: Object.fromEntries(nodes),
  }));
}
