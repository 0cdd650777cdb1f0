import { useSyncExternalStore } from 'react';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const TURN_MS = 10_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** One clock for all that is shown, as long as something is. */
function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, TURN_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** How long ago, and when exactly for who points at it. */
export function Moment({ at }: { at: number }) {
  useSyncExternalStore(subscribe, () => now);
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {howLongAgo(at - Date.now())}
    </time>
  );
}

function howLongAgo(ms: number): string {
  const [unit, length] = STEPS.find(([, step]) => Math.abs(ms) >= step) ?? ['second', 1_000];
  return RELATIVE.format(Math.round(ms / length), unit);
}
