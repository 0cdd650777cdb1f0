import type { Capabilities } from '@cairn/protocol/account';
import { EXPORT_FORMAT_VERSION, VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import { type DiskFault, diskFault } from '../engine/disk-fault.ts';
import { schemaVersion } from '../engine/migration.ts';
import type { Store } from '../store.ts';

interface Readiness {
  readonly status: 'ready';
  readonly engine: Capabilities['engine'];
  readonly schemaVersion: number;
  readonly exportFormatVersion: number;
  /** Reads go on, so requests should still come here. */
  readonly writeFault?: DiskFault;
}

const READY_WITHIN_MS = 2_000;

export async function readiness(store: Store): Promise<Readiness> {
  const answers = Promise.all([schemaVersion(store.database), store.fault()]);
  const [version, writeFault] = await withinTime(answers, READY_WITHIN_MS);
  // Reads still see the deleted file, so load balancers must stop sending requests here.
  if (writeFault === 'file_lost') throw diskFault(writeFault, undefined);
  return {
    status: 'ready',
    engine: store.database.engine,
    schemaVersion: version,
    exportFormatVersion: EXPORT_FORMAT_VERSION,
    ...(writeFault !== undefined && { writeFault }),
  };
}

async function withinTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export async function capabilities({ store, limits }: Context): Promise<Capabilities> {
  const { engine } = store.database;
  const { schemaVersion } = store;
  return { version: VERSION, engine, schemaVersion, exportFormatVersion: EXPORT_FORMAT_VERSION, limits: { ...limits } };
}
