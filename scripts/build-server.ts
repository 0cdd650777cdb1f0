// Bundles the server into packages/server/dist, which `npm start` runs. A bundle starts faster than 700 files and takes
// less memory. `npm install` builds it, and `npm start` rebuilds it if the sources have changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, sourcesHash } from './sources-hash.ts';

const DIST = join(ROOT, 'packages/server/dist');
const STAMP = join(DIST, 'sources');
const SOURCES = ['packages/{server,model,protocol}/src/**', 'scripts/{build-server,packages}.ts'];
/** Age at which old bundles are deleted: a running server still loads some files of its own bundle later. */
const KEPT_MS = 7 * 24 * 3_600_000;

export async function buildServer(): Promise<void> {
  const sources = sourcesHash(SOURCES);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  const { bundleServer, BUNDLED } = await import('./packages.ts');
  mkdirSync(DIST, { recursive: true });
  rmSync(STAMP, { force: true });
  const written = await bundleServer(DIST, BUNDLED);
  for (const name of readdirSync(DIST)) {
    const file = join(DIST, name);
    if (/\.js$/.test(name) && !written.includes(name) && Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
  }
  writeFileSync(STAMP, sources);
}
