// A disk that takes no more, or reports errors: what whoever writes is told, and how it is recognised, here and in other
// threads and processes. Reading goes on. Nothing is remembered for long: each write tries the disk anew, so that it all goes
// on by itself when the fault is over.
import { CairnError, type FailOptions, fail } from '@cairn/protocol/errors';

export const DISK_FAULTS = ['disk_full', 'io_error', 'read_only', 'file_lost'] as const;
export type DiskFault = (typeof DISK_FAULTS)[number];

const RETRY_AFTER_S = 2;

const MESSAGES: Readonly<Record<DiskFault, string>> = {
  disk_full:
    'The server cannot write right now: its disk is full. Nothing was changed, and reading goes on. Try again when its operator has made room.',
  io_error:
    'The server cannot do this right now: its disk reports errors. Try again later; its operator finds the reason in the log.',
  read_only:
    'The server cannot write right now: its database takes no writes, as some do when their disk is almost full. Nothing was changed, and reading goes on. Try again when its operator has seen to it.',
  file_lost:
    'The server cannot write: the file of its database was deleted or replaced while it ran. Nothing was changed. Its operator must put the file back, or restore a backup and start the server again.',
};

export function diskFault(fault: DiskFault, cause: unknown): CairnError {
  return fail('UNAVAILABLE', { ...faultFields(fault), cause });
}

/** Of an error while a transaction ended: the log of the database may hold all of it, and a restart find it there. */
export function withUnknownOutcome(error: unknown): unknown {
  const fault = diskFaultIn(error);
  if (fault === undefined) return error;
  const { details, ...fields } = faultFields(fault);
  return fail('UNAVAILABLE', { ...fields, details: { ...details, outcome: 'unknown' }, cause: error });
}

function faultFields(fault: DiskFault): FailOptions & { details: object } {
  return { message: MESSAGES[fault], details: { reason: fault }, retryAfter: RETRY_AFTER_S };
}

/** `undefined` for every other error. */
export function diskFaultIn(error: unknown): DiskFault | undefined {
  if (!(error instanceof CairnError) || error.code !== 'UNAVAILABLE') return undefined;
  const { reason } = (error.details ?? {}) as { reason?: unknown };
  return DISK_FAULTS.find((fault) => fault === reason);
}

const FILE_FAULTS: Readonly<Record<string, DiskFault>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EIO: 'io_error',
  EROFS: 'io_error',
};

/** Of an error of the file system; another one stays as it is. */
export function fileFault(error: unknown): unknown {
  const fault = error instanceof Error && 'code' in error ? FILE_FAULTS[String(error.code)] : undefined;
  return fault === undefined ? error : diskFault(fault, error);
}
