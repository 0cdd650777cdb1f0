// The running processes, from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** All direct and indirect child processes. */
export function descendants(pid: number | undefined): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.filter((name) => parentOf(name) === pid).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function parentOf(process: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

export const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    // A process that ended but was not yet waited for still has an entry.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
