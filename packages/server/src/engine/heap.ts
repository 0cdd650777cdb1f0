// Keeps memory small: an idle server would keep its start-up garbage, because V8 collects only on allocation, and by
// default the heap may grow to several times its use.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const AFTER_MS = 3_000;

export function limitHeap(): void {
  setFlagsFromString('--heap-growing-percent=80');
  collectSoon();
}

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
