import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// Operations run on PostgreSQL in the long suite alone.
process.env.CAIRN_TEST_SUITE = 'long';
process.env.CAIRN_TEST_STATEMENTS ??= mkdtempSync(join(tmpdir(), 'cairn-statements-'));

// The tests of the stores on distributed repositories: on the cluster of CAIRN_TEST_CITUS_URL, or else on a stand-in.
// All statements are recorded, and compared with the rules of Citus at the end.
export default defineConfig({
  test: {
    ...base.test,
    include: ['packages/server/src/**/*.test.ts'],
    // Rights are tried in thousands of requests, which say nothing of where rows lie.
    exclude: [
      '**/*.property.test.ts',
      '**/*.statement.test.ts',
      '**/access-matrix.test.ts',
      '**/session-access.test.ts',
      '**/*.{route,job}.test.ts',
      'packages/server/src/{http,mcp,live}/**',
      'packages/server/src/account/{oauth,external}/**',
    ],
    testNamePattern: 'postgres',
    execArgv: [
      ...(base.test?.execArgv ?? []),
      '--import',
      join(import.meta.dirname, 'test/support/citus/statement-recorder.ts'),
    ],
    // Tables that lie on other machines are laid out more slowly.
    testTimeout: 10 * 60_000,
    hookTimeout: 10 * 60_000,
  },
});
