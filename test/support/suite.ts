/** Whether this is `npm run test:long`, and not `npm test`. */
export const IS_LONG = process.env.CAIRN_TEST_SUITE === 'long';

/** Files that `npm test` leaves out. */
export const LONG_ONLY = ['test/citus/**', 'test/faults/soak*.test.ts'];

/** How much a test does in each suite. `CAIRN_TEST_` and the name is a variable that sets it for one run. */
export function amount(name: string, { short, long }: { short: number; long: number }): number {
  return Number(process.env[`CAIRN_TEST_${name}`] ?? (IS_LONG ? long : short));
}
