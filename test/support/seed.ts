// The seed of property tests that are too slow for a new seed on every run. `CAIRN_TEST_SEED` selects another one.
export const TEST_SEED = Number(process.env.CAIRN_TEST_SEED ?? 1);
