// Loading a server leaves a fifth of its memory behind as garbage, and an idle one would keep that: V8 collects when memory is
// asked for, which nobody does. So it is collected once, soon after the start, which takes some hundredths of a second.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const AFTER_MS = 3_000;

export function collectStartGarbage(): void {
  setTimeout(collect, AFTER_MS).unref();
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const collectAll = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collectAll();
}
