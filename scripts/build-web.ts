// `npm run build:web`: the explorer as static files, in packages/web/dist. `npm install` does it too, `npm start` where it was
// not done yet, and the tests. What was built of the same sources stays.
//   --if-missing    only where there is none
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const WEB = join(ROOT, 'packages/web');
const DIST = join(WEB, 'dist');
const STAMP = join(DIST, 'sources');

const SOURCES = [
  'packages/web/{src,public}/**',
  'packages/web/*.{html,ts,json}',
  'packages/{sdk,protocol,model}/src/**',
  'scripts/build-web.ts',
];

/** What it is built of, in one text that differs when anything of that does. */
function sourcesHash(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(file.slice(ROOT.length)).update(readFileSync(file));
  return hash.digest('hex');
}

export async function buildWeb({ ifMissing = false } = {}): Promise<void> {
  if (ifMissing && existsSync(join(DIST, 'index.html'))) return;
  const sources = sourcesHash();
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

const isWithoutVite = (error: unknown) => (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';

if (process.argv[1] === import.meta.filename) {
  await buildWeb({ ifMissing: process.argv.includes('--if-missing') }).catch((error: unknown) => {
    if (!isWithoutVite(error)) throw error;
    // Installed for production, where what was built elsewhere is copied to.
    console.error(
      'The explorer is not built: that needs the development dependencies. Run npm install without --omit=dev.',
    );
  });
}
