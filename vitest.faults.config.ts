import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The long form of the kill and fault tests: the same files, many more rounds.
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/faults/**/*.test.ts'],
    env: { CAIRN_TEST_FAULT_ROUNDS: '50' },
    testTimeout: 30 * 60_000,
  },
});
