// Targets of a figure in the design. A figure is met if it meets all of its targets.

export interface Targets {
  readonly atMost?: number | undefined;
  readonly atLeast?: number | undefined;
  /** Multiple of the bare limit, for figures where less is better. */
  readonly atMostOfBare?: number | undefined;
}

export interface Reached extends Targets {
  readonly median: number;
  readonly ofBare?: number | undefined;
}

const percent = (part: number) => `${Math.round(part * 100)} % of bare`;
const grouped = (value: number) => value.toLocaleString('en-US');

function targetsOf({ median, ofBare = Number.NaN, ...targets }: Reached): { text: string; met: boolean }[] {
  const { atMost, atLeast, atMostOfBare } = targets;
  return [
    atMost !== undefined && { text: `at most ${grouped(atMost)}`, met: median <= atMost },
    atLeast !== undefined && { text: `at least ${grouped(atLeast)}`, met: median >= atLeast },
    atMostOfBare !== undefined && { text: `at most ${percent(atMostOfBare)}`, met: ofBare <= atMostOfBare },
  ].filter((target) => target !== false);
}

export function targetText(reached: Reached): string {
  return targetsOf(reached)
    .map(({ text }) => text)
    .join(', ');
}

export const hasTarget = (reached: Reached): boolean => targetsOf(reached).length > 0;

export const isMet = (reached: Reached): boolean => targetsOf(reached).every(({ met }) => met);
