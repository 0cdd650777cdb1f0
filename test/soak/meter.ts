// Counts, durations and retries per kind of request: over the whole run, and since the last look.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

export interface Measured {
  readonly answered: number;
  readonly triedAgain: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const US_A_MS = 1_000;

class Gauge {
  readonly #taken: RecordableHistogram = createHistogram();
  #triedAgain = 0;

  answered(ms: number): void {
    this.#taken.record(Math.max(1, Math.round(ms * US_A_MS)));
  }

  triedAgain(): void {
    this.#triedAgain += 1;
  }

  get measured(): Measured {
    const { count } = this.#taken;
    const at = (percentile: number) => (count === 0 ? 0 : rounded(this.#taken.percentile(percentile) / US_A_MS));
    return {
      answered: count,
      triedAgain: this.#triedAgain,
      medianMs: at(50),
      p99Ms: at(99),
      maxMs: count === 0 ? 0 : rounded(this.#taken.max / US_A_MS),
    };
  }
}

const rounded = (ms: number) => Math.round(ms * 10) / 10;

export class Meter {
  readonly #whole = new Map<string, Gauge>();
  #lately = new Map<string, Gauge>();

  answered(kind: string, ms: number): void {
    for (const gauge of this.#of(kind)) gauge.answered(ms);
  }

  triedAgain(kind: string): void {
    for (const gauge of this.#of(kind)) gauge.triedAgain();
  }

  #of(kind: string): Gauge[] {
    return [this.#whole, this.#lately].map((gauges) => {
      const gauge = gauges.get(kind) ?? new Gauge();
      gauges.set(kind, gauge);
      return gauge;
    });
  }

  whole(): Record<string, Measured> {
    return measuredOf(this.#whole);
  }

  lately(): Record<string, Measured> {
    const measured = measuredOf(this.#lately);
    this.#lately = new Map();
    return measured;
  }
}

function measuredOf(gauges: ReadonlyMap<string, Gauge>): Record<string, Measured> {
  return Object.fromEntries([...gauges].map(([kind, { measured }]) => [kind, measured]));
}
