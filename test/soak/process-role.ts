// Which process of a server does what, as Linux tells it: the writer is the one that listens for the others.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { descendants } from '../support/process-tree.ts';

export interface ServerProcess {
  readonly pid: number;
  /**
   * `main` is the one that was started: with several, it gives connections to the others. One that waits to take the place of
   * another is a worker here too.
   */
  readonly role: 'main' | 'writer' | 'worker';
}

export function processesOf(pid: number): ServerProcess[] {
  const sockets = listeningSockets();
  const children = descendants(pid).map((child) => ({
    pid: child,
    role: listensOn(child, sockets) ? ('writer' as const) : ('worker' as const),
  }));
  return [{ pid, role: 'main' }, ...children];
}

/** A flag of Linux: a socket that takes connections. */
const ACCEPTS = 0x10000;

/** By the numbers that file descriptors show. */
function listeningSockets(): Set<string> {
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n').slice(1);
  const columns = rows.map((row) => row.trim().split(/\s+/));
  const listening = columns.filter(
    ([, , , flags = '0', , , , path]) => Number.parseInt(flags, 16) & ACCEPTS && path?.endsWith('/writer'),
  );
  return new Set(listening.map(([, , , , , , inode]) => `socket:[${inode}]`));
}

function listensOn(pid: number, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((file) => sockets.has(linkOf(`${folder}/${file}`)));
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** 0 of one that has ended. */
export function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
