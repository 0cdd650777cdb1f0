// How the times of a history are written: the shorter it is, the more exactly. Where all of it lies within a minute, the plot
// counts seconds from its first commit: a clock says little then.
import { timeText } from '@cairn/protocol/time-text';
import type { Growth } from './activity.ts';

const SECOND_MS = 1_000;
const SHORT_MS = 60 * SECOND_MS;
const EXACT_MS = 10 * 60 * SECOND_MS;

export interface TimeScale {
  /** Where all lies within a minute: the time that the plot counts from. */
  readonly since?: number;
  /** A moment by the clock. */
  readonly momentText: (at: number) => string;
  /** A moment, as exactly as it takes to tell it from the others. */
  readonly exactText: (at: number) => string;
  /** So long after the first commit. */
  readonly distanceText: (ms: number) => string;
}

export function timeScaleOf(points: readonly Growth[]): TimeScale {
  const [first, last] = [points.at(0)?.at ?? 0, points.at(-1)?.at ?? 0];
  const span = last - first;
  const isShort = span < SHORT_MS;
  const momentText = (at: number) => timeText(at, span < EXACT_MS ? 'second' : 'minute');
  const distanceText = (ms: number) => `${(ms / SECOND_MS).toLocaleString('en')} s`;
  return {
    ...(isShort && { since: first }),
    momentText,
    exactText: (at) => (isShort && at > first ? `${distanceText(at - first)} after the first` : momentText(at)),
    distanceText,
  };
}
