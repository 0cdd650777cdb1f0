// Measures how long scripts block the browser, from its own trace.
import type { Page } from '../tools/chromium.ts';

export interface Measured {
  /** The longest script time within one task, and the longest task including all other browser work. */
  readonly scriptMs: number;
  readonly taskMs: number;
  /** Time until the requested content was there. */
  readonly wholeMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Wall-clock and thread time in microseconds. Thread time excludes other processes. */
  readonly ts: number;
  readonly dur?: number;
  readonly tts?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];
const TASK = 'RunTask';
const SCRIPT: ReadonlySet<string> = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FireIdleCallback',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
  'v8.callFunction',
  'v8.compile',
  'v8.run',
]);

/** Traces the page during `work`, and returns the longest times in which it was blocked. */
export async function traced(page: Page, work: () => Promise<void>): Promise<Measured> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page belongs to no browser that can be traced.');
  await browser.startTracing(page, { categories: CATEGORIES });
  const start = performance.now();
  try {
    await work();
  } catch (error) {
    await browser.stopTracing();
    throw error;
  }
  const wholeMs = performance.now() - start;
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  return { ...longestOf(traceEvents), wholeMs };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function longestOf(events: readonly TraceEvent[]): Pick<Measured, 'scriptMs' | 'taskMs'> {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  let [scriptMs, taskMs] = [0, 0];
  for (const { pid, tid } of mains) {
    const own = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X');
    const scripts = outermost(own.filter(({ name }) => SCRIPT.has(name)).map(spanOf));
    for (const task of own.filter(({ name }) => name === TASK).map(spanOf)) {
      const inside = scripts.filter(({ from, to }) => from >= task.from && to <= task.to);
      taskMs = Math.max(taskMs, (task.to - task.from) / 1_000);
      scriptMs = Math.max(scriptMs, inside.reduce((sum, { from, to }) => sum + to - from, 0) / 1_000);
    }
  }
  return { scriptMs, taskMs };
}

const spanOf = ({ ts, dur = 0, tts = ts, tdur = dur }: TraceEvent): Span => ({ from: tts, to: tts + tdur });

/** Nested events are part of the event around them. */
function outermost(spans: readonly Span[]): Span[] {
  const kept: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (span.from >= (kept.at(-1)?.to ?? 0)) kept.push(span);
  }
  return kept;
}
