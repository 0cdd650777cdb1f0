// The process that owns the writer on SQLite, and on both engines does what a server does by itself. Workers hand it what they
// write, so that one transaction holds what came at the same time, whichever of them it came to.
import { issueSetupCode } from '../account/account.ts';
import { createOutbound } from '../action/delivery/client.ts';
import { DeliveryMeter } from '../action/delivery/delivery-verdict.ts';
import { type Stop, startBackground } from '../background.ts';
import { blobLocation, storeLocation } from '../config.ts';
import { serveWriter } from '../engine/writer-socket.ts';
import { openBlobStore } from '../export/blob-store.ts';
import { createMetrics } from '../http/metrics.ts';
import { openSecret } from '../keys/secret.ts';
import { createConfiguredOwner, deriveKeys, downloadKey, serveMetrics } from '../server.ts';
import { openStore, type Store, serveWriterOf } from '../store.ts';
import type { ChildParts } from './run-child.ts';
import { workerCount } from './worker-count.ts';

export async function startWriter(parts: ChildParts): Promise<Stop> {
  const { config, colleagues, writerAt } = parts;
  const closing: Stop[] = [];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const store = await openStore(storeLocation(config, workerCount(config)));
    closing.push(() => store.close());
    const secret = await openSecret(store, { given: config.secret, folder: config.data });
    await createConfiguredOwner(store, config);
    const meter = new DeliveryMeter();
    const render = colleagues.shareMetrics(createMetrics({ writes: store, deliveries: { store, meter } }));
    if (config.metricsPort !== undefined) closing.push(await serveMetrics({ render }, config.metricsPort));
    const { close } = await serveWriter(writerAt, (request: Parameters<typeof serveWriterOf>[1]) =>
      serveWriterOf(store, request),
    );
    closing.push(close);
    colleagues.tell({ opened: true, setupCode: await issueSetupCode(store) });
    closing.push(await startWork(parts, { store, secret, meter }));
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ground {
  readonly store: Store;
  readonly secret: string;
  readonly meter: DeliveryMeter;
}

async function startWork({ config, log, publicUrl }: ChildParts, { store, secret, meter }: Ground): Promise<Stop> {
  return await startBackground({
    blobs: openBlobStore(blobLocation(config), { key: downloadKey(secret), publicUrl }),
    outbound: createOutbound({ allow: config.outboundAllow }),
    keys: deriveKeys(secret),
    settings: { ...config, publicUrl },
    ...{ store, meter, log },
  });
}
