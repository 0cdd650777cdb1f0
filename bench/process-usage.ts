// What a server takes of the machine, all its processes together, as Linux tells it.
import { readFileSync } from 'node:fs';
import { descendants } from '../test/support/process-tree.ts';
import type { ServerProcess } from './process.ts';

/** Linux counts processor time for programs in hundredths of a second, whatever it uses itself. */
const TICKS_A_SECOND = 100;
const KIB_A_MB = 1_000_000 / 1_024;

const pidsOf = ({ pid }: ServerProcess) => [pid, ...descendants(pid)];
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** In megabytes. Pages that processes share are counted in each of them. */
export function residentMb(server: ServerProcess): number {
  return sum(pidsOf(server).map(residentKib)) / KIB_A_MB;
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** How long all their threads have had a processor so far. */
export function processorSecondsOf(servers: readonly ServerProcess[]): number {
  return sum(servers.flatMap(pidsOf).map(ticksOf)) / TICKS_A_SECOND;
}

function ticksOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name stands in brackets, and may hold spaces. Behind it, user and system time are the 12th and the 13th.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
