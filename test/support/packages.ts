// The server and the command for processes that tests start. Bundled as published, they start twice as fast as from
// source.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildWeb } from '../../scripts/build-web.ts';
import { BUNDLED, writeCli, writeServer } from '../../scripts/packages.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache');

export interface TestPackages {
  readonly folder: string;
  remove(): void;
}

export async function writeTestPackages(): Promise<TestPackages> {
  // Rebuilds, so that an older build is never used.
  await buildWeb();
  mkdirSync(CACHE, { recursive: true });
  const home = mkdtempSync(join(CACHE, 'packages-'));
  const folder = join(home, 'node_modules/@cairn');
  await Promise.all([writeServer(join(folder, 'server'), BUNDLED), writeCli(join(folder, 'cli'))]);
  return { folder, remove: () => rmSync(home, { recursive: true, force: true }) };
}
