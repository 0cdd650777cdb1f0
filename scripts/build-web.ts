// `npm run build:web`: the explorer as static files, in packages/web/dist. What was built of the same sources stays.
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
  // Beside the old one, which is in use until the new one is whole.
  const outDir = mkdtempSync(`${DIST}-`);
  // Also where tests build it, which have another: else React would be the one for its developers, large and slow.
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
