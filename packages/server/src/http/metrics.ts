// Prometheus metrics of one process. A registry of its own keeps servers in one process apart.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { DeliveryMeter } from '../action/delivery/delivery-verdict.ts';
import { readRunQueue } from '../action/run-read.sql.ts';
import { DISK_FAULTS } from '../engine/disk-fault.ts';
import type { Live } from '../live/live.ts';
import type { Store } from '../store.ts';
import { RequestDurations } from './answer.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface Metrics {
  readonly durations: RequestDurations;
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
    durations,
    render: async () => `${durations.render()}\n${await registry.metrics()}`,
  };
}

function measureWrites(registry: Registry, store: Store): void {
  new Gauge({
    name: 'cairn_store_writes',
    help: 'Writes and the durable transactions that contained them, since the start. Group commit keeps the transactions per write low.',
    labelNames: ['counted'],
    registers: [registry],
    async collect() {
      const counts = await store.counts().catch(() => undefined);
      if (counts === undefined) return;
      this.set({ counted: 'writes' }, counts.writes);
      this.set({ counted: 'transactions' }, counts.transactions);
    },
  });
  new Gauge({
    name: 'cairn_write_faults',
    help: '1 while the disk takes no writes, by reason. Reads still work.',
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
    help: 'Open live streams, and those of them that do not read.',
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
    help: 'Unfinished runs by status, and the seconds that the oldest due subscription has waited.',
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
    help: 'Deliveries of this node: those in progress, and the outcomes of attempts since the start.',
    labelNames: ['counted'],
    registers: [registry],
    collect() {
      this.set({ counted: 'in_flight' }, meter.inFlight);
      for (const [outcome, attempts] of meter.outcomes) this.set({ counted: outcome }, attempts);
    },
  });
}
