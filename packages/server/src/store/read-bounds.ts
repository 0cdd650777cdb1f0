// What bounds the scans of one request together. They go in steps, each on a thread or connection that others wait for too:
// before each step it is looked at whether time is left, and whether somebody still waits for the answer.
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

  /** The time begins with the first scan. */
  check(): void {
    this.#until ??= performance.now() + WITHIN_MS;
    if (this.#isAbandoned()) throw fail('UNAVAILABLE', { message: 'The client has gone.' });
    if (performance.now() > this.#until) throw tooLong('Narrow it, or ask for less at once.');
  }
}

const current = new AsyncLocalStorage<ReadBounds>();

export function withinBounds<Result>(bounds: ReadBounds | undefined, read: () => Result): Result {
  return bounds === undefined ? read() : current.run(bounds, read);
}

/** A reader for scans that keeps to the bounds of whoever reads. */
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
