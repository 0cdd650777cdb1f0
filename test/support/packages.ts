// The server and the command for the processes that tests start: bundled as they are published, they start in half of the
// time that the sources take.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildWeb } from '../../scripts/build-web.ts';
import { BUNDLED, writeCli, writeServer } from '../../scripts/packages.ts';

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache');

export interface TestPackages {
  readonly folder: string;
  remove(): void;
}

/** Inside of this checkout's `node_modules`, where they find what they depend on, and each other as if installed. */
export async function writeTestPackages(): Promise<TestPackages> {
  // As it is now, whatever was built before.
  await buildWeb();
  mkdirSync(CACHE, { recursive: true });
  const home = mkdtempSync(join(CACHE, 'packages-'));
  const folder = join(home, 'node_modules/@cairn');
  await Promise.all([writeServer(join(folder, 'server'), BUNDLED), writeCli(join(folder, 'cli'))]);
  return { folder, remove: () => rmSync(home, { recursive: true, force: true }) };
}
