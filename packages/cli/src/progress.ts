// Progress of long work, in one line that is overwritten. Shown to people on a terminal only.
import { CairnError, isRetryable } from '@cairn/sdk';
import type { Session } from './session.ts';

interface Step {
  readonly what: string;
  readonly done: number;
  readonly total?: number | undefined;
  /** `share` is a fraction of the whole, for work without a count. */
  readonly unit: 'rows' | 'lines' | 'bytes' | 'share';
  readonly note?: string | undefined;
}

export interface Progress {
  readonly show: (step: Step) => void;
  /** Removes the line. Call it after success and failure. */
  readonly end: () => void;
}

interface Followed<Result> {
  readonly session: Session;
  /** Advice after the last retry failed; undefined if nothing can be resumed. */
  readonly advice: () => string | undefined;
  readonly work: (progress: Progress) => Promise<Result>;
}

export async function followed<Result>({ session, advice, work }: Followed<Result>): Promise<Result> {
  const progress = createProgress(session);
  try {
    return await work(progress);
  } catch (error) {
    if (!(error instanceof CairnError) || !isRetryable(error)) throw error;
    const { code, message, hint = advice() } = error;
    throw new CairnError(code, { message, cause: error, ...(hint !== undefined && { hint }) });
  } finally {
    progress.end();
  }
}

type OnShare = (what: string, doneShare?: number) => void;

export async function withShare<Result>(
  session: Session,
  work: (onShare: OnShare) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(session);
  try {
    return await work((what, done = 0) => progress.show({ what, done, total: 1, unit: 'share' }));
  } finally {
    progress.end();
  }
}

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001B[K';

export function createProgress({ io, isFollowed }: Session, now: () => number = Date.now): Progress {
  const columns = io.stderrColumns;
  if (columns === undefined || !isFollowed) return { show: () => {}, end: () => {} };
  let begun: { what: string; done: number; at: number } | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show: (step) => {
      const at = now();
      // Measures the rate per kind of work and since the start, without the part that a resumed run skipped.
      if (begun?.what !== step.what) begun = { what: step.what, done: step.done, at };
      if (at - drawnAt < REDRAW_MS) return;
      drawnAt = at;
      const seconds = (at - begun.at) / 1_000;
      io.stderr(`${CLEAR_LINE}${progressLine(step, seconds > 0 ? (step.done - begun.done) / seconds : 0, columns)}`);
    },
    end: () => {
      if (begun !== undefined) io.stderr(CLEAR_LINE);
    },
  };
}

const BAR_COLUMNS = 24;

export function progressLine({ what, done, total, unit, note }: Step, rate: number, columns: number): string {
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total);
  const parts = [
    what,
    ...(share === undefined ? [] : [bar(share), `${Math.floor(share * 100)} %`]),
    ...(unit === 'share' ? [] : [amount(done, unit), ...(rate > 0 ? [`${amount(rate, unit)}/s`] : [])]),
    ...(rate > 0 && total !== undefined && total > done ? [`${duration((total - done) / rate)} left`] : []),
    ...(note === undefined ? [] : [note]),
  ];
  // A wrapped line cannot be overwritten.
  return parts.join('  ').slice(0, Math.max(0, columns - 1));
}

function bar(share: number): string {
  const full = Math.round(share * BAR_COLUMNS);
  return '█'.repeat(full) + '░'.repeat(BAR_COLUMNS - full);
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function amount(value: number, unit: 'rows' | 'lines' | 'bytes'): string {
  if (unit !== 'bytes') return `${Math.round(value).toLocaleString('en')} ${unit}`;
  const power = Math.min(UNITS.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3));
  return `${(value / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
