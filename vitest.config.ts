import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { memoryFolder } from './test/support/memory-folder.ts';
import { PATIENCE_MS } from './test/support/patience.ts';
import { EXCLUDED, INCLUDED, IS_LONG } from './test/support/suite.ts';

// A compile cache for the threads and processes that tests start, because each reads all of the server.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');
process.env.TMPDIR ??= memoryFolder() ?? tmpdir();

const TIMEOUT_MS = IS_LONG ? 60 * 60_000 : 10 * 60_000;

/** Slow tests start first. Otherwise the run waits for them while other cores are idle. */
const LONG =
  /\.property\.test|-kill\.test|access\.test|\/(access-matrix|admin|backup|component-word-count|docs-run|export-flow|graph|hostile-text|new-user|postgres-failover|process|relation|search-index|sign-in-browser|submission-hostile|workers)\.test/;

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: INCLUDED,
    exclude: EXCLUDED,
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for processes and databases; more of them than cores keep small machines busy.
    maxWorkers: 3,
    // Files take turns in the same processes: else each of them would load and compile the whole server anew.
    isolate: false,
    // By Node's own loader, as users run it: through Vite's, every import is looked up at each use, and every stack is mapped.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Requests and answers are short-lived: with more room for what is young, it is collected less often.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongFirst },
    // Real servers, processes and databases on small machines: generous, because no test asserts a time.
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: ['default', './test/support/closing-line.ts'],
  },
});
