/** True in `npm run test:long`, false in `npm test`. */
export const IS_LONG = process.env.CAIRN_TEST_SUITE === 'long';

/** Every test of Cairn. */
export const INCLUDED = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'];
/** Tests of other projects, and in the default suite those that are for the long one alone. */
export const EXCLUDED = ['**/node_modules/**', ...(IS_LONG ? [] : ['test/citus/**', 'test/faults/soak*.test.ts'])];

/** How much a test does in each suite. `CAIRN_TEST_` and the name is a variable that sets it for one run. */
export function amount(name: string, { short, long }: { short: number; long: number }): number {
  return Number(process.env[`CAIRN_TEST_${name}`] ?? (IS_LONG ? long : short));
}
