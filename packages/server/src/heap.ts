// Keeps the memory of a server small. Loading one leaves a fifth of its memory behind as garbage, and an idle server would keep
// that: V8 collects only when memory is asked for. And by default V8 lets the heap grow to several times what is in use, so
// that expensive requests of strangers could take hundreds of megabytes.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const AFTER_MS = 3_000;

export function limitHeap(): void {
  setFlagsFromString('--heap-growing-percent=30');
  setTimeout(collect, AFTER_MS).unref();
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const collectAll = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collectAll();
}
