// Sizes of the benchmarks. `BENCH_QUICK=1` makes every part small: it proves that all of them run, but their figures
// mean nothing.

export const IS_QUICK = process.env.BENCH_QUICK === '1';

export interface Size {
  readonly full: number;
  readonly quick: number;
}

export function sized({ full, quick }: Size): number {
  return IS_QUICK ? quick : full;
}

/** An environment variable overrides the size. */
export function sizedBy(variable: string, size: Size): number {
  const told = process.env[variable];
  return told === undefined ? sized(size) : Number(told);
}

export const counted = (count: number, things: string) => `${count.toLocaleString('en-US')} ${things}`;
