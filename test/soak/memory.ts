// The memory of the processes of a server over time. Each process has a series of its own: what is killed begins anew.
import { residentBytes, type ServerProcess } from './process-role.ts';

export interface Lifetime {
  readonly role: ServerProcess['role'];
  readonly pid: number;
  readonly seconds: number;
  /** The median of each fifth of its life, in MB. */
  readonly fifthsMb: readonly number[];
  readonly maxMb: number;
  /** Whether it has grown all the time, by more than a fifth after its first fifth: then somebody should look. */
  readonly onlyGrows: boolean;
}

interface Series {
  readonly role: ServerProcess['role'];
  readonly samples: { readonly atMs: number; readonly bytes: number }[];
}

const MB = 1_000_000;
const FIFTHS = 5;
/** Shorter lives say nothing: code is loaded and compiled, and caches are filled. */
const SECONDS_MIN = 60;
const GROWN = 1.2;

export class MemoryWatch {
  readonly #series = new Map<number, Series>();

  sample(processes: readonly ServerProcess[], atMs = performance.now()): void {
    for (const { pid, role } of processes) this.add({ pid, role }, { atMs, bytes: residentBytes(pid) });
  }

  add({ pid, role }: ServerProcess, sample: { atMs: number; bytes: number }): void {
    if (sample.bytes === 0) return;
    const known = this.#series.get(pid);
    // One that waited for a role may be the writer by now.
    const series = known?.role === role ? known : { role, samples: known?.samples ?? [] };
    series.samples.push(sample);
    this.#series.set(pid, series);
  }

  /** In MB, by role: what is now, of all together. */
  latest(processes: readonly ServerProcess[]): Record<string, number> {
    const found: Record<string, number> = {};
    for (const { pid, role } of processes) {
      const bytes = this.#series.get(pid)?.samples.at(-1)?.bytes ?? 0;
      found[role] = (found[role] ?? 0) + Math.round(bytes / MB);
    }
    return found;
  }

  /** Of those that lived long enough, the longest first. */
  lifetimes(): Lifetime[] {
    const all = [...this.#series].map(([pid, series]) => lifetimeOf(pid, series));
    return all.filter(({ seconds }) => seconds >= SECONDS_MIN).sort((a, b) => b.seconds - a.seconds);
  }
}

function lifetimeOf(pid: number, { role, samples }: Series): Lifetime {
  const [first, last] = [samples[0]?.atMs ?? 0, samples.at(-1)?.atMs ?? 0];
  const fifthsMb = Array.from({ length: FIFTHS }, (_, n) => {
    const from = Math.floor((n * samples.length) / FIFTHS);
    const until = Math.floor(((n + 1) * samples.length) / FIFTHS);
    return medianMb(samples.slice(from, until).map(({ bytes }) => bytes));
  });
  const rises = fifthsMb.every((value, n) => n < 2 || value > (fifthsMb[n - 1] ?? 0));
  return {
    role,
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
