// The memory of a server over time. Each process has a separate series, because a restart resets its memory.
import { readFileSync } from 'node:fs';

export interface Lifetime {
  readonly pid: number;
  readonly seconds: number;
  /** The median of each fifth of its lifetime, in MB. */
  readonly fifthsMb: readonly number[];
  readonly maxMb: number;
  /**
   * True if it grew in every fifth after the first, and by more than a fifth in total. Such a process needs a closer
   * look.
   */
  readonly onlyGrows: boolean;
}

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

const MB = 1_000_000;
const FIFTHS = 5;
/** Shorter lifetimes are meaningless: code is still being compiled, and caches fill. */
const SECONDS_MIN = 60;
const GROWN = 1.2;

export class MemoryWatch {
  readonly #series = new Map<number, Sample[]>();

  sample(pid: number): number {
    const bytes = residentBytes(pid);
    this.add(pid, { atMs: performance.now(), bytes });
    return Math.round(bytes / MB);
  }

  add(pid: number, sample: Sample): void {
    if (sample.bytes === 0) return;
    const samples = this.#series.get(pid) ?? [];
    samples.push(sample);
    this.#series.set(pid, samples);
  }

  lifetimes(): Lifetime[] {
    const all = [...this.#series].map(([pid, samples]) => lifetimeOf(pid, samples));
    return all.filter(({ seconds }) => seconds >= SECONDS_MIN).sort((a, b) => b.seconds - a.seconds);
  }
}

function lifetimeOf(pid: number, samples: readonly Sample[]): Lifetime {
  const [first, last] = [samples[0]?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  const fifthsMb = Array.from({ length: FIFTHS }, (_, n) => {
    const from = Math.floor((n * samples.length) / FIFTHS);
    const until = Math.floor(((n + 1) * samples.length) / FIFTHS);
    return medianMb(samples.slice(from, until).map(({ bytes }) => bytes));
  });
  const rises = fifthsMb.every((value, n) => n < 2 || value > (fifthsMb[n - 1] ?? 0));
  return {
    pid,
    seconds: Math.round((last - first) / 1_000),
    fifthsMb,
    maxMb: Math.round(Math.max(...samples.map(({ bytes }) => bytes)) / MB),
    onlyGrows: rises && (fifthsMb.at(-1) ?? 0) > GROWN * (fifthsMb[1] ?? 0),
  };
}

function medianMb(bytes: readonly number[]): number {
  const sorted = bytes.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) / MB);
}

/** 0 for a process that has ended. */
function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
