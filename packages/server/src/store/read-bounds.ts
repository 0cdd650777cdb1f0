// Time limit and cancellation for the scans of one request. Scans run in steps on shared threads or connections; each step
// first checks that time is left and that the client is still connected.
import { AsyncLocalStorage } from 'node:async_hooks';
import { fail } from '@cairn/protocol/errors';
import type { Reader } from './database.ts';
import { tooLong, WITHIN_MS } from './long-read.ts';

export class ReadBounds {
  readonly #isAbandoned: () => boolean;
  #until: number | undefined;

  constructor(isAbandoned: () => boolean) {
    this.#isAbandoned = isAbandoned;
  }

  /** The first scan starts the clock. */
  check(): void {
    this.#until ??= performance.now() + WITHIN_MS;
    if (this.#isAbandoned())
      throw fail('UNAVAILABLE', { message: 'The client disconnected, so the read was stopped.' });
    if (performance.now() > this.#until) throw tooLong('Narrow it, or ask for less at once.');
  }
}

const current = new AsyncLocalStorage<ReadBounds>();

export function withinBounds<Result>(bounds: ReadBounds | undefined, read: () => Result): Result {
  return bounds === undefined ? read() : current.run(bounds, read);
}

/** Checks the bounds of the current request before each statement. */
export function boundedReader(reader: Reader): Reader {
  return {
    query: async (sql, params) => {
      current.getStore()?.check();
      return await reader.query(sql, params);
    },
    bulk: async (statement, rows) => {
      current.getStore()?.check();
      return await reader.bulk(statement, rows);
    },
    ...(reader.isDistributed && { isDistributed: reader.isDistributed.bind(reader) }),
  };
}
