// Reads that no index bounds, on threads of their own. A running `node:sqlite` statement cannot be interrupted, not even
// by ending its thread: who scans does it in bounded steps, and a step that takes too long is no longer waited for.
import { fail } from '@cairn/protocol/errors';
import type { Row, Value } from './database.ts';
import { Thread, threadFile } from './thread.ts';

const THREADS = 2;
const SCAN_TIMEOUT_MS = 5_000;

export interface ScanRequest {
  readonly sql: string;
  readonly params: readonly Value[];
}

export class SqliteScans {
  readonly #threads: Thread<ScanRequest, Row[]>[];
  readonly #timeoutMs: number;

  constructor(file: string, timeoutMs = SCAN_TIMEOUT_MS) {
    const start = () => new Thread<ScanRequest, Row[]>(threadFile('./sqlite-scan-thread'), file);
    this.#threads = Array.from({ length: THREADS }, start);
    this.#timeoutMs = timeoutMs;
  }

  async run(request: ScanRequest): Promise<Row[]> {
    const thread = this.#threads.reduce((least, next) => (next.callCount < least.callCount ? next : least));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow()), this.#timeoutMs);
    });
    return await Promise.race([thread.call(request), late]).finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

function tooSlow() {
  return fail('UNAVAILABLE', { message: 'The read took too long. Narrow it, or index the field.' });
}
