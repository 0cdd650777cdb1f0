import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

process.env.CAIRN_TEST_SUITE = 'long';

// Every test, in its long form: `test/support/suite.ts` is how tests tell.
export default defineConfig({
  test: { ...base.test, testTimeout: 60 * 60_000, hookTimeout: 60 * 60_000 },
});
