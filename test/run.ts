// Runs the default suite, or the long one: `node run.mjs test/run.ts [--long] [PATTERN]`. Installs its tools first.
import { join } from 'node:path';
import { installTools, RUNTIMES, TOOLS } from './tools/install.ts';

const ROOT = join(import.meta.dirname, '..');
const [node = '', , ...args] = process.argv;
const isLong = args[0] === '--long';

installTools(TOOLS);
if (isLong) {
  installTools(RUNTIMES);
  process.env.CAIRN_TEST_SUITE = 'long';
}

const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
process.argv = [node, vitest, 'run', ...args.slice(isLong ? 1 : 0)];
await import(vitest);
