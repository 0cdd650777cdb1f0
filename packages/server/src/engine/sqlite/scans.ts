// Runs reads that no index bounds on their own threads. A running `node:sqlite` statement cannot be interrupted, so
// callers scan in bounded steps and stop waiting for a step that takes too long.
import { fail } from '@cairn/protocol/errors';
import type { BulkRows, BulkStatement, Ordinal, Reader, Row, Value } from '../database.ts';
import { withinTime } from '../read-bounds.ts';
import { RESTS_AFTER_MS, Thread, threadFile } from '../thread.ts';

const THREADS = 2;
const SCAN_TIMEOUT_MS = 5_000;
/** Rows are short-lived. Four threads with the default 48 MB each would let anonymous reads take 200 MB. */
const HEAP = { maxYoungGenerationSizeMb: 4 };

export type ScanRequest =
  | { readonly sql: string; readonly params: readonly Value[] }
  | { readonly statement: BulkStatement; readonly bulk: BulkRows };

const SCAN_THREAD = threadFile('./sqlite-scan-thread', import.meta.url);

export class SqliteScans implements Reader {
  readonly #threads: Thread<ScanRequest, Row[]>[];
  readonly #timeoutMs: number;

  constructor(
    file: string,
    { thread = SCAN_THREAD, timeoutMs = SCAN_TIMEOUT_MS }: { thread?: URL; timeoutMs?: number } = {},
  ) {
    const options = { restsAfterMs: RESTS_AFTER_MS, resourceLimits: HEAP };
    const start = () => new Thread<ScanRequest, Row[]>(thread, file, options);
    this.#threads = Array.from({ length: THREADS }, start);
    this.#timeoutMs = timeoutMs;
  }

  async query<Result = Row>(sql: string, params: readonly Value[] = []): Promise<Result[]> {
    return (await this.#run({ sql, params })) as Result[];
  }

  async bulk<Result extends object = Row>(statement: BulkStatement, bulk: BulkRows): Promise<Ordinal<Result>[]> {
    return (await this.#run({ statement, bulk })) as Ordinal<Result>[];
  }

  async #run(request: ScanRequest): Promise<Row[]> {
    const thread = this.#threads.reduce((least, next) => (next.callCount < least.callCount ? next : least));
    return await withinTime(thread.call(request), this.#timeoutMs, tooSlow);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

function tooSlow() {
  return fail('UNAVAILABLE', { message: 'The read took too long. Narrow it, or index the field.' });
}
