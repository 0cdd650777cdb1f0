import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// For the threads and processes that tests start: each reads all of the server, and compiles it but once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Most tests wait for processes and databases; more of them than cores keep small machines busy.
    maxWorkers: 3,
    // Real servers, processes and databases on small machines: generous, because no test asserts a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/closing-line.ts'],
  },
});
