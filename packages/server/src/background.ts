// Background work. Every process of a server may run it; each piece runs in one process at a time.
import type { Logger } from 'pino';
import type { Keys } from './access/context.ts';
import type { Outbound } from './action/delivery/client.ts';
import { startDeliveries } from './action/delivery/delivery.job.ts';
import type { DeliveryMeter } from './action/delivery/delivery-verdict.ts';
import { carryOutboxes } from './action/outbox.job.ts';
import { repeat, tellOfJobFailure } from './action/repetition.job.ts';
import type { Config } from './config.ts';
import type { BlobStore } from './export/blob-store.ts';
import { startExportBuilds } from './export/export-build.job.ts';
import { followSigningKey, RELOAD_EVERY_MS, type SigningKeys } from './keys/signing-keys.ts';
import { sweep } from './repository/sweep.job.ts';
import { followSearchAtLeisure } from './search/search-index.job.ts';
import { buildIndexes } from './shape/index-build.job.ts';
import type { Store } from './store.ts';

const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_FIRST_MS = 60_000;
const INDEX_EVERY_MS = 1_000;
const SEARCH_EVERY_MS = 250;
const EXPORT_EVERY_MS = 500;
const OUTBOX_EVERY_MS = 250;
const DELIVERY_EVERY_MS = 250;

export type Stop = () => Promise<void>;

interface BackgroundDeps {
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
      firstAfterMs: SWEEP_FIRST_MS,
      work: async (signal) => sweep({ store, blobs, runRetentionDays }, await store.database.now(), signal),
    },
    { name: 'outbox', everyMs: OUTBOX_EVERY_MS, work: (signal) => carryOutboxes(store, signal) },
    { name: 'index build', everyMs: INDEX_EVERY_MS, work: (signal) => buildIndexes(store, signal) },
    { name: 'search index', everyMs: SEARCH_EVERY_MS, work: (signal) => followSearchAtLeisure(store, signal) },
  ]);
  const notBuilt = (err: unknown, details: object) => log.error({ err, ...details }, 'An export was not built.');
  const stopBuilds = startExportBuilds({ store, blobs, limits, onFailure: notBuilt }, { everyMs: EXPORT_EVERY_MS });
  const onFailure = (err: unknown, details: object) =>
    log.error({ err, ...details }, 'A delivery could not be processed.');
  const deliverer = { store, keys, outbound, publicUrl, webhookRetrySeconds, meter, onFailure };
  const stopDeliveries = await startDeliveries(deliverer, DELIVERY_EVERY_MS);
  return async () => {
    await stopDeliveries();
    await Promise.all([stopJobs(), stopBuilds()]);
  };
}

export function followSigningKeys(store: Store, signingKeys: SigningKeys, log: Logger): Stop {
  const work = () => followSigningKey(store, signingKeys);
  return startJobs(log, [{ name: 'signing key', everyMs: RELOAD_EVERY_MS, work }]);
}

function startJobs(
  log: Logger,
  jobs: readonly ({ readonly name: string } & Omit<Parameters<typeof repeat>[0], 'onError'>)[],
): Stop {
  const stops = jobs.map(({ name, ...job }) =>
    repeat({ ...job, onError: (error) => tellOfJobFailure(log, name, error) }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
