import { timeText } from '@cairn/model/time-text';
import { useEffect, useSyncExternalStore } from 'react';
import { authorOf } from './amount.ts';
import { Text } from './text.tsx';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const TURN_MS = 10_000;
/** An event from after the last tick moves the clock forward, or its age would be negative. */
const OLD_MS = 1_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function turn() {
  now = Date.now();
  for (const tell of listeners) tell();
}

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
  /** A planned moment may lie in the future. Past events never do, even if the server's clock is ahead. */
  readonly isPlanned?: boolean;
}

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

/** A larger difference is a wrong clock, which the page should not hide. */
const AHEAD_MS = 15_000;
const HALF_A_SECOND_MS = 500;

function howLongAgo(ms: number, isPlanned: boolean): string {
  if (!isPlanned && ms > -HALF_A_SECOND_MS && ms < AHEAD_MS) return 'just now';
  const [unit, length] = STEPS.find(([, step]) => Math.abs(ms) >= step) ?? ['second', 1_000];
  return RELATIVE.format(Math.round(ms / length), unit);
}

export function Author({ createdBy }: { createdBy: string }) {
  const { name, by } = authorOf(createdBy);
  return (
    <>
      <Text>{name}</Text>
      {by !== undefined && (
        <span className="quiet">
          {' '}
          (<Text>{by}</Text>)
        </span>
      )}
    </>
  );
}
