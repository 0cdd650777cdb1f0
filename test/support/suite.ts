/** True in `npm run test:long`, false in `npm test`. */
export const IS_LONG = process.env.CAIRN_TEST_SUITE === 'long';

export const INCLUDED = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'];
/** Only in the long suite: very slow tests, and checks for a release rather than for every change. */
const LONG_ONLY = [
  'test/citus/**',
  'test/faults/soak*.test.ts',
  'test/{backup-postgres,build,component-word-count,sdk-bundle,sdk-example,sdk-types}.test.ts',
  'test/{actions-docs,cli-docs,components-docs,docs-browser,docs-run}.test.ts',
  'test/explorer/{change-odd-input,live-windows,notice,scroll-hint}.test.ts',
];
/** Tests of other projects, and in the default suite those of the long one. */
export const EXCLUDED = ['**/node_modules/**', ...(IS_LONG ? [] : LONG_ONLY)];

/** The amount of work of a test in each suite. The variable `CAIRN_TEST_` plus the name overrides it for one run. */
export function amount(name: string, { short, long }: { short: number; long: number }): number {
  return Number(process.env[`CAIRN_TEST_${name}`] ?? (IS_LONG ? long : short));
}
