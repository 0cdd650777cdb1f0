// What a server does by itself: jobs, builds of exports, and deliveries. Every process of it may, and of several that do, one
// has each piece of work at a time.
import type { Logger } from 'pino';
import { RELOAD_EVERY_MS, type SigningKeys } from './auth/signing-keys.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import type { Config } from './config.ts';
import { startDeliveries } from './jobs/delivery/delivery.ts';
import { startExportBuilds } from './jobs/export-build.ts';
import { buildIndexes } from './jobs/index-build.ts';
import { tellOfJobFailure } from './jobs/job-failure.ts';
import { carryOutboxes } from './jobs/outbox.ts';
import { repeat } from './jobs/repetition.ts';
import { followSearchAtLeisure } from './jobs/search-index.ts';
import { sweep } from './jobs/sweep.ts';
import type { Keys } from './operations/context.ts';
import type { DeliveryMeter } from './operations/delivery-meter.ts';
import { followSigningKey } from './operations/signing-key.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { Store } from './store/store.ts';

const SWEEP_EVERY_MS = 3_600_000;
const INDEX_EVERY_MS = 1_000;
const SEARCH_EVERY_MS = 250;
const EXPORT_EVERY_MS = 500;
const OUTBOX_EVERY_MS = 250;
const DELIVERY_EVERY_MS = 250;

export type Stop = () => Promise<void>;

interface Job {
  readonly name: string;
  readonly everyMs: number;
  readonly work: (signal: AbortSignal) => Promise<void>;
}

export interface BackgroundDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly outbound: Outbound;
  readonly keys: Keys;
  readonly meter: DeliveryMeter;
  readonly log: Logger;
  readonly settings: Config & { readonly publicUrl: string };
}

export async function startBackground(deps: BackgroundDeps): Promise<Stop> {
  const { store, blobs, outbound, keys, meter, log, settings } = deps;
  const { limits, runRetentionDays, webhookRetrySeconds, publicUrl } = settings;
  const stopJobs = startJobs(log, [
    {
      name: 'sweep',
      everyMs: SWEEP_EVERY_MS,
      work: async (signal) => sweep({ store, blobs, runRetentionDays }, await store.database.now(), signal),
    },
    { name: 'outbox', everyMs: OUTBOX_EVERY_MS, work: (signal) => carryOutboxes(store, signal) },
    { name: 'index build', everyMs: INDEX_EVERY_MS, work: (signal) => buildIndexes(store, signal) },
    { name: 'search index', everyMs: SEARCH_EVERY_MS, work: (signal) => followSearchAtLeisure(store, signal) },
  ]);
  const notBuilt = (err: unknown, details: object) => log.error({ err, ...details }, 'An export was not built.');
  const stopBuilds = startExportBuilds({ store, blobs, limits, onFailure: notBuilt }, { everyMs: EXPORT_EVERY_MS });
  const onFailure = (err: unknown, details: object) =>
    log.error({ err, ...details }, 'A delivery was not looked after.');
  const deliverer = { store, keys, outbound, publicUrl, webhookRetrySeconds, meter, onFailure };
  const stopDeliveries = await startDeliveries(deliverer, { everyMs: DELIVERY_EVERY_MS });
  return async () => {
    await stopDeliveries();
    await Promise.all([stopJobs(), stopBuilds()]);
  };
}

/** What every process does that looks at the signatures of sessions. */
export function followSigningKeys(store: Store, signingKeys: SigningKeys, log: Logger): Stop {
  const work = () => followSigningKey(store, signingKeys);
  return startJobs(log, [{ name: 'signing key', everyMs: RELOAD_EVERY_MS, work }]);
}

function startJobs(log: Logger, jobs: readonly Job[]): Stop {
  const stops = jobs.map(({ name, everyMs, work }) =>
    repeat({ everyMs, work, onError: (error) => tellOfJobFailure(log, name, error) }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
