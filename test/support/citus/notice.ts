// A notice for runs without a cluster, so that skipped tests do not pass for tests that ran.

export const NO_CLUSTER = `
!! CAIRN_TEST_CITUS_URL is not set: nothing was tried on Citus itself, only on a stand-in that keeps its rules.
!! To run the tests of the store, and those of a cluster, on Citus with two workers, name its coordinator:
!!   CAIRN_TEST_CITUS_URL=postgres://postgres@localhost:5432/postgres npm run test:long -- test/citus
!! docs/testing.md says how to start a cluster.
`;

export const hasCluster = () => (process.env.CAIRN_TEST_CITUS_URL ?? '') !== '';
