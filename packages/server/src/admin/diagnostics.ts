import type { Capabilities } from '@cairn/protocol/account';
import { EXPORT_FORMAT_VERSION, VERSION } from '@cairn/protocol/version';
import type { Operation } from '../access/context.ts';
import { type DiskFault, diskFault } from '../engine/disk-fault.ts';
import { schemaVersion } from '../engine/migration.ts';
import { withinTime } from '../engine/read-bounds.ts';
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
  const [version, writeFault] = await withinTime(answers, READY_WITHIN_MS, tooLate);
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

const tooLate = () => new Error(`no answer within ${READY_WITHIN_MS} ms`);

export const capabilities: Operation<'diagnostics.capabilities'> = async ({ store, limits }) => {
  const { engine } = store.database;
  const { schemaVersion } = store;
  return { version: VERSION, engine, schemaVersion, exportFormatVersion: EXPORT_FORMAT_VERSION, limits: { ...limits } };
};
