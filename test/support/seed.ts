// The seed of property tests that are too long to try something else on every run. `CAIRN_TEST_SEED` explores others.
export const TEST_SEED = Number(process.env.CAIRN_TEST_SEED ?? 1);
