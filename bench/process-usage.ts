// Memory and processor time of a server with all its processes, read from Linux.
import { readFileSync } from 'node:fs';
import { descendants } from '../test/support/process-tree.ts';
import type { ServerProcess } from './process.ts';

/** Linux reports processor time in hundredths of a second, whatever its internal clock is. */
const TICKS_A_SECOND = 100;
const KIB_A_MB = 1_000_000 / 1_024;

const pidsOf = ({ pid }: ServerProcess) => [pid, ...descendants(pid)];
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** In megabytes. Shared pages count once per process. */
export function residentMb(server: ServerProcess): number {
  return sum(pidsOf(server).map(residentKib)) / KIB_A_MB;
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** Processor seconds of all threads so far. */
export function processorSecondsOf(servers: readonly ServerProcess[]): number {
  return sum(servers.flatMap(pidsOf).map(ticksOf)) / TICKS_A_SECOND;
}

function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name is in parentheses and may contain spaces. User and system time are fields 12 and 13 after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
