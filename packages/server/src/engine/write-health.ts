// Whether writes fail because of the disk. Known from those that failed; that it is over is found out by writing a little
// every second, because nobody else may write meanwhile.
import { CairnError } from '@cairn/protocol/errors';
import { type DiskFault, diskFaultIn } from './disk-fault.ts';

const PROBE_EVERY_MS = 1_000;

export class WriteHealth {
  readonly #probe: () => Promise<void>;
  #fault: DiskFault | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** The probe writes something that needs room on the disk. */
  constructor(probe: () => Promise<void>) {
    this.#probe = probe;
  }

  /** `undefined` as long as the disk takes what is written. */
  get fault(): DiskFault | undefined {
    return this.#fault;
  }

  /** To be told of each write that failed, whatever the reason. */
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
    // Refused for a reason of another kind, it was not the disk that refused it.
    if (!(failure instanceof CairnError) || failure.code !== 'UNAVAILABLE') {
      this.#fault = undefined;
      return;
    }
    this.#fault = diskFaultIn(failure) ?? this.#fault;
    this.#lookSoon();
  }
}
