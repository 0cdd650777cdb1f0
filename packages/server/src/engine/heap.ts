// Keeps memory small. Start-up leaves a fifth of the memory as garbage, which an idle server would keep: V8 collects
// only on allocation. By default V8 also lets the heap grow to several times its use, so that expensive requests could
// take hundreds of megabytes.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const AFTER_MS = 3_000;

export function limitHeap(): void {
  setFlagsFromString('--heap-growing-percent=80');
  collectSoon();
}

/** Each thread has a heap of its own. */
export function collectSoon(): void {
  setTimeout(collect, AFTER_MS).unref();
}

function collect(): void {
  // The flag belongs to the whole process, and another thread may be about to use it, so nobody takes it back.
  setFlagsFromString('--expose-gc');
  const collectAll = runInNewContext('gc') as (options: object) => void;
  // Without the flavor, the room for new objects stays as large as it was at the start.
  collectAll({ type: 'major', flavor: 'last-resort' });
}
