import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const {
  CAIRN_TEST_FAULT_ROUNDS = '50',
  CAIRN_TEST_STREAM_LINES = '200000',
  CAIRN_TEST_STREAM_KILLS = '100',
  CAIRN_TEST_ACTION_COMMITS = '20000',
  CAIRN_TEST_ACTION_KILLS = '20',
  // Five minutes.
  CAIRN_TEST_WORKER_KILLS = '75',
  CAIRN_TEST_WORKER_KILL_EVERY_MS = '4000',
  CAIRN_TEST_FAILOVER_ROUNDS = '5',
  // Where Debian has it.
  CAIRN_TEST_POSTGRES_15 = '/usr/lib/postgresql/15/bin',
  // Each kind six times.
  CAIRN_TEST_NODE_ROUNDS = '48',
  CAIRN_TEST_SOAK_SECONDS = '60',
  CAIRN_TEST_SOAK_KILL_EVERY_SECONDS = '8',
  CAIRN_TEST_SOAK_KILLS = '50',
  CAIRN_TEST_FLIPS = '1000',
} = process.env;

// The long form of the kill and fault tests: the same files, many more rounds.
export default defineConfig({
  test: {
    ...base.test,
    include: ['test/faults/**/*.test.ts'],
    env: {
      CAIRN_TEST_FAULT_ROUNDS,
      CAIRN_TEST_STREAM_LINES,
      CAIRN_TEST_STREAM_KILLS,
      CAIRN_TEST_ACTION_COMMITS,
      CAIRN_TEST_ACTION_KILLS,
      CAIRN_TEST_WORKER_KILLS,
      CAIRN_TEST_WORKER_KILL_EVERY_MS,
      CAIRN_TEST_FAILOVER_ROUNDS,
      CAIRN_TEST_POSTGRES_15,
      CAIRN_TEST_NODE_ROUNDS,
      CAIRN_TEST_SOAK_SECONDS,
      CAIRN_TEST_SOAK_KILL_EVERY_SECONDS,
      CAIRN_TEST_SOAK_KILLS,
      CAIRN_TEST_FLIPS,
    },
    testTimeout: 30 * 60_000,
  },
});
