// How the times of a history are written: the shorter it is, the more exactly. Where all of it lies within seconds, the plot
// counts from its first commit.
import type { Growth } from './activity.ts';

const SECOND_MS = 1_000;
const SHORT_MS = 10 * SECOND_MS;
const EXACT_MS = 10 * 60 * SECOND_MS;

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const;
const FORMS = {
  minute: new Intl.DateTimeFormat('en-GB', MINUTE),
  second: new Intl.DateTimeFormat('en-GB', { ...MINUTE, second: '2-digit' }),
  millisecond: new Intl.DateTimeFormat('en-GB', { ...MINUTE, second: '2-digit', fractionalSecondDigits: 3 }),
};

export interface TimeScale {
  /** Where all lies within seconds: the time that the plot counts from. */
  readonly since?: number;
  /** A moment, as exactly as it takes to tell it from the others. */
  readonly momentText: (at: number) => string;
  /** So long after the first commit. */
  readonly distanceText: (ms: number) => string;
}

export function timeScaleOf(points: readonly Growth[]): TimeScale {
  const [first, last] = [points.at(0)?.at ?? 0, points.at(-1)?.at ?? 0];
  const span = last - first;
  const form = span < SHORT_MS ? FORMS.millisecond : span < EXACT_MS ? FORMS.second : FORMS.minute;
  const inSeconds = (ms: number) => `${(ms / SECOND_MS).toLocaleString('en')} s`;
  return {
    ...(span < SHORT_MS && { since: first }),
    momentText: (at) => form.format(at),
    distanceText: (ms) => (span < SECOND_MS ? `${ms.toLocaleString('en')} ms` : inSeconds(ms)),
  };
}
