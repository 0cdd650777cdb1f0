import { timeText } from '@cairn/protocol/time-text';
import { useEffect, useSyncExternalStore } from 'react';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const TURN_MS = 10_000;
/** What comes up later than this moves the clock, or it would be told by an old one. */
const OLD_MS = 1_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function turn() {
  now = Date.now();
  for (const tell of listeners) tell();
}

/** One clock for all that is shown, as long as something is. */
function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(turn, TURN_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

interface MomentProps {
  readonly at: number;
  /** Whether it may be to come. What has happened never is, though the clock of the server may be ahead of the reader's. */
  readonly isPlanned?: boolean;
}

/** How long ago, and when exactly for who points at it. */
export function Moment({ at, isPlanned = false }: MomentProps) {
  const shownAt = useSyncExternalStore(subscribe, () => now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another moment is as good as a new one.
  useEffect(() => {
    if (Math.abs(Date.now() - now) > OLD_MS) turn();
  }, [at]);
  return (
    <time dateTime={new Date(at).toISOString()} title={timeText(at, 'zoned')}>
      {howLongAgo(at - shownAt, isPlanned)}
    </time>
  );
}

/** By more than this a clock is wrong, which is better seen. */
const AHEAD_MS = 15_000;
const HALF_A_SECOND_MS = 500;

function howLongAgo(ms: number, isPlanned: boolean): string {
  if (!isPlanned && ms > -HALF_A_SECOND_MS && ms < AHEAD_MS) return 'just now';
  const [unit, length] = STEPS.find(([, step]) => Math.abs(ms) >= step) ?? ['second', 1_000];
  return RELATIVE.format(Math.round(ms / length), unit);
}
