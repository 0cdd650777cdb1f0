// Runs the default suite, or the long one: `node run.mjs test/run.ts [--long] [PATTERN]`. Installs its tools first.
import { join } from 'node:path';
import { installTools, RUNTIMES, TOOLS } from './tools/install.ts';

const ROOT = join(import.meta.dirname, '..');
const [node = '', , ...args] = process.argv;
const isLong = args[0] === '--long';

installTools(TOOLS);
if (isLong) installTools(RUNTIMES);

const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
const config = isLong ? ['--config', 'vitest.long.config.ts', ...args.slice(1)] : args;
process.argv = [node, vitest, 'run', ...config];
await import(vitest);
