// Prometheus metrics of one process. A registry of its own keeps servers in one process apart.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { DeliveryMeter } from '../action/delivery/delivery-verdict.ts';
import { readRunQueue } from '../action/run-read.sql.ts';
import { DISK_FAULTS } from '../engine/disk-fault.ts';
import type { Live } from '../live/live.ts';
import type { Store } from '../store.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface ObservedRequest {
  readonly method: string;
  /** The pattern of a route, never a path: paths may contain anything. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

export interface Metrics {
  observeRequest(request: ObservedRequest): void;
  render(): Promise<string>;
}

interface Measured {
  readonly store: Store;
  readonly live: Pick<Live, 'hub'>;
  readonly meter: DeliveryMeter;
}

export function createMetrics({ store, live, meter }: Measured): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new RequestDurations();
  measureWrites(registry, store);
  measureLive(registry, live);
  measureDeliveries(registry, store, meter);
  return {
    observeRequest: (request) => durations.observe(request),
    render: async () => `${durations.render()}\n${await registry.metrics()}`,
  };
}

const DURATION = 'cairn_http_request_duration_seconds';
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Durations {
  readonly labels: string;
  /** One for each bucket, and one for all that took longer. */
  readonly counts: number[];
  sum: number;
}

/** The histogram of the library builds a text from the labels for each request, which costs more than routing it. */
class RequestDurations {
  readonly #byKey = new Map<string, Durations>();

  observe({ method, route, status, ms }: ObservedRequest): void {
    const key = `${method} ${status} ${route}`;
    let found = this.#byKey.get(key);
    if (found === undefined) {
      const labels = `method="${method}",route="${route}",status="${status}"`;
      found = { labels, counts: new Array(BUCKETS.length + 1).fill(0), sum: 0 };
      this.#byKey.set(key, found);
    }
    const seconds = ms / 1_000;
    let at = 0;
    while (at < BUCKETS.length && seconds > (BUCKETS[at] as number)) at++;
    found.counts[at] = (found.counts[at] as number) + 1;
    found.sum += seconds;
  }

  render(): string {
    const lines = [
      `# HELP ${DURATION} Time from the arrival of a request to its answer.`,
      `# TYPE ${DURATION} histogram`,
    ];
    for (const { labels, counts, sum } of this.#byKey.values()) {
      let total = 0;
      for (const [at, count] of counts.entries()) {
        total += count;
        lines.push(`${DURATION}_bucket{le="${BUCKETS[at] ?? '+Inf'}",${labels}} ${total}`);
      }
      lines.push(`${DURATION}_sum{${labels}} ${sum}`, `${DURATION}_count{${labels}} ${total}`);
    }
    return lines.join('\n');
  }
}

function measureWrites(registry: Registry, store: Store): void {
  new Gauge({
    name: 'cairn_store_writes',
    help: 'Writes and the durable transactions that held them, since the start; few transactions a write is group commit.',
    labelNames: ['counted'],
    registers: [registry],
    async collect() {
      // If the database is unavailable, this metric is missing but all others still matter.
      const counts = await store.counts().catch(() => undefined);
      if (counts === undefined) return;
      this.set({ counted: 'writes' }, counts.writes);
      this.set({ counted: 'transactions' }, counts.transactions);
    },
  });
  new Gauge({
    name: 'cairn_write_faults',
    help: '1 while nothing can be written because of the disk, by what is wrong with it; reads go on.',
    labelNames: ['fault'],
    registers: [registry],
    async collect() {
      const present = await store.fault().catch(() => undefined);
      for (const fault of DISK_FAULTS) this.set({ fault }, fault === present ? 1 : 0);
    },
  });
}

function measureLive(registry: Registry, { hub }: Pick<Live, 'hub'>): void {
  new Gauge({
    name: 'cairn_live_streams',
    help: 'Live streams that are open, and how many of them take nothing.',
    labelNames: ['counted'],
    registers: [registry],
    collect() {
      this.set({ counted: 'open' }, hub.streamCount);
      this.set({ counted: 'full' }, hub.fullCount);
    },
  });
}

function measureDeliveries(registry: Registry, store: Store, meter: DeliveryMeter): void {
  new Gauge({
    name: 'cairn_delivery_queue',
    help: 'Runs that are not over, by status, and for how many seconds the oldest subscription that is due has waited.',
    labelNames: ['counted'],
    registers: [registry],
    async collect() {
      const queue = await readRunQueue(store.database).catch(() => undefined);
      if (queue === undefined) return;
      this.reset();
      for (const [status, runs] of Object.entries(queue.runs)) this.set({ counted: status }, runs);
      this.set({ counted: 'oldest_due_seconds' }, queue.oldestDueMs / 1000);
    },
  });
  new Gauge({
    name: 'cairn_deliveries',
    help: 'Deliveries of this node: how many are under way, and how attempts ended since the start.',
    labelNames: ['counted'],
    registers: [registry],
    collect() {
      this.set({ counted: 'in_flight' }, meter.inFlight);
      for (const [outcome, attempts] of meter.outcomes) this.set({ counted: outcome }, attempts);
    },
  });
}
