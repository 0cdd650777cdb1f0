// What a process has open, as Linux tells it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Paths of files; sockets as `socket:[inode]`. */
export function openFilesOf(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`;
  return entriesOf(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      // Closed since.
      return [];
    }
  });
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** 127.0.0.1, as the table of sockets has it. */
const LOOPBACK = '0100007F';
const [LOCAL, INODE] = [1, 9];

/** The socket that is bound to this port of 127.0.0.1 at its own end, as `openFilesOf` names it. */
export function socketAt(port: number): string | undefined {
  const local = `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  // Connections that have ended stay in the list for a while, and have no inode.
  const isOpen = (row: readonly string[]) => row[LOCAL] === local && row[INODE] !== '0';
  const columns = rows.map((row) => row.trim().split(/\s+/)).find(isOpen);
  return columns && `socket:[${columns[INODE]}]`;
}
