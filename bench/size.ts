// How much is measured. `BENCH_QUICK=1` makes every part small: it proves that all of them run, and its figures say nothing.

export const IS_QUICK = process.env.BENCH_QUICK === '1';

/** How much is measured, and how much to prove that it runs. */
export interface Size {
  readonly full: number;
  readonly quick: number;
}

export function sized({ full, quick }: Size): number {
  return IS_QUICK ? quick : full;
}

/** The same, unless a variable of the environment says otherwise. */
export function sizedBy(variable: string, size: Size): number {
  const told = process.env[variable];
  return told === undefined ? sized(size) : Number(told);
}

export const counted = (count: number, things: string) => `${count.toLocaleString('en-US')} ${things}`;
