// `npm run build`: writes the packages to publish into dist/, with types and with exports that point to them. The
// server and the CLI are bundled (packages.ts); the others are compiled file by file.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildWeb } from './build-web.ts';
import { writeCli, writeManifest, writeServer } from './packages.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const COMPILED = join(DIST, '.compiled');

function compile(): void {
  rmSync(DIST, { recursive: true, force: true });
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json')], { stdio: 'inherit' });
}

function buildLibrary(name: string): void {
  cpSync(join(COMPILED, name, 'src'), join(DIST, name), { recursive: true });
  writeManifest(name, join(DIST, name));
}

function copyTypes(name: string): void {
  cpSync(join(COMPILED, name, 'src'), join(DIST, name), { recursive: true, filter: (file) => !file.endsWith('.js') });
}

compile();
await buildWeb();
buildLibrary('protocol');
buildLibrary('model');
buildLibrary('sdk');
await writeServer(join(DIST, 'server'));
copyTypes('server');
await writeCli(join(DIST, 'cli'));
rmSync(COMPILED, { recursive: true });
