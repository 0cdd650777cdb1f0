// The open files of a process, from Linux's /proc.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Paths of files; sockets have the form `socket:[inode]`. */
export function openFilesOf(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`;
  return entriesOf(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
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

const LOOPBACK = '0100007F';
const [LOCAL, INODE] = [1, 9];

/** The socket with this local port on 127.0.0.1, in the form that `openFilesOf` uses. */
export function socketAt(port: number): string | undefined {
  const local = `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const isOpen = (row: readonly string[]) => row[LOCAL] === local && row[INODE] !== '0';
  const columns = rows.map((row) => row.trim().split(/\s+/)).find(isOpen);
  return columns && `socket:[${columns[INODE]}]`;
}
