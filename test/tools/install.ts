// Test tools have separate packages and lock files, so that `npm install` in the checkout stays small.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** PostgreSQL, a browser and more, for every run. */
export const TOOLS = import.meta.dirname;
export const RUNTIMES = resolve(TOOLS, '../runtimes');

export const toolPath = (path: string) => join(TOOLS, 'node_modules', path);

/** Installs the packages of a folder, unless they match its lock file already. */
export function installTools(folder: string): void {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules/.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  process.stdout.write(`Installing test tools into ${join(folder, 'node_modules')}. This happens once.\n`);
  const { npm_execpath: npm } = process.env;
  const [command, ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  // npm looks for Node in PATH, where an older one may come first.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` };
  const { status, error } = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env,
    stdio: 'inherit',
  });
  if (status !== 0) {
    process.stderr.write(
      `The test tools were not installed: npm ${error?.message ?? `ended with ${status}`}. Check your connection to the npm registry and run the command again.\n`,
    );
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

// `npm run types` runs this file directly, because it also checks the types of the tools.
if (process.argv[1] === import.meta.filename) installTools(TOOLS);
