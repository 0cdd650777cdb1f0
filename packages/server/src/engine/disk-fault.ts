// Recognizes a full or failing disk, across threads and processes. Reads go on, and each write tries the disk again, so
// that the server recovers by itself.
import { CairnError, type FailOptions, fail } from '@cairn/protocol/errors';

export const DISK_FAULTS = ['disk_full', 'io_error', 'read_only', 'file_lost'] as const;
export type DiskFault = (typeof DISK_FAULTS)[number];

const RETRY_AFTER_S = 2;

const MESSAGES: Readonly<Record<DiskFault, string>> = {
  disk_full:
    'The server cannot write, because its disk is full. Nothing was changed, and reads still work. Try again when the operator has freed space.',
  io_error:
    'The server cannot do this, because its disk reports errors. Try again later. The operator finds the reason in the log.',
  read_only:
    'The server cannot write, because its database is read-only, perhaps because its disk is almost full. Nothing was changed, and reads still work. Try again when the operator has fixed this.',
  file_lost:
    'The server cannot write, because its database file was deleted or replaced while it ran. Nothing was changed. The operator must put the file back, or restore a backup and restart the server.',
};

export function diskFault(fault: DiskFault, cause: unknown): CairnError {
  return fail('UNAVAILABLE', { ...faultFields(fault), cause });
}

/** For an error while a transaction was ending: its log may be complete, and then a restart applies it. */
export function withUnknownOutcome(error: unknown): unknown {
  const fault = diskFaultIn(error);
  if (fault === undefined) return error;
  const { details, ...fields } = faultFields(fault);
  return fail('UNAVAILABLE', { ...fields, details: { ...details, outcome: 'unknown' }, cause: error });
}

function faultFields(fault: DiskFault): FailOptions & { details: object } {
  return { message: MESSAGES[fault], details: { reason: fault }, retryAfter: RETRY_AFTER_S };
}

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

export function fileFault(error: unknown): unknown {
  const fault = error instanceof Error && 'code' in error ? FILE_FAULTS[String(error.code)] : undefined;
  return fault === undefined ? error : diskFault(fault, error);
}

const PROBE_EVERY_MS = 1_000;

/** A probe write every second detects the end of a disk fault, because nobody else may be writing. */
export class WriteHealth {
  readonly #probe: () => Promise<void>;
  #fault: DiskFault | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  get fault(): DiskFault | undefined {
    return this.#fault;
  }

  note(error: unknown): void {
    const fault = diskFaultIn(error);
    if (fault === undefined) return;
    this.#fault = fault;
    this.#lookSoon();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #lookSoon(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => void this.#look(), PROBE_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    const failure = await this.#probe().then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#timer = undefined;
    // Any other error means that the disk took the write.
    if (!(failure instanceof CairnError) || failure.code !== 'UNAVAILABLE') {
      this.#fault = undefined;
      return;
    }
    this.#fault = diskFaultIn(failure) ?? this.#fault;
    this.#lookSoon();
  }
}
