// `npm run build:web`: builds the explorer as static files into packages/web/dist. Unchanged sources are not built
// again.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, sourcesHash } from './sources-hash.ts';

const WEB = join(ROOT, 'packages/web');
const DIST = join(WEB, 'dist');
const STAMP = join(DIST, 'sources');

const SOURCES = [
  'packages/web/{src,public}/**',
  'packages/web/*.{html,ts,json}',
  'packages/{sdk,model,protocol}/src/**',
  'scripts/build-web.ts',
];

export async function buildWeb({ ifMissing = false } = {}): Promise<void> {
  if (ifMissing && existsSync(join(DIST, 'index.html'))) return;
  const sources = sourcesHash(SOURCES);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  const { build } = await import('vite');
  // Built next to the old folder, which stays in use until the new one is complete.
  const outDir = mkdtempSync(`${DIST}-`);
  // Tests build with another value, which would select the large and slow development version of React.
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({ configFile: join(WEB, 'vite.config.ts'), logLevel: 'warn', build: { outDir } });
    writeFileSync(join(outDir, 'sources'), sources);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(outDir, DIST);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

if (process.argv[1] === import.meta.filename) await buildWeb();
