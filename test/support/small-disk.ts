// A file system of a few megabytes, which a test fills and frees. Only root can mount one. Others can set
// CAIRN_TEST_SMALL_DISK to a folder that is a separate file system, whose content may be deleted.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no free byte. */
  fill(): void;
  free(): void;
}

/** True if a small disk is available. Otherwise the tests that need one are skipped, with a notice. */
export function canHaveSmallDisk(): boolean {
  if (process.env.CAIRN_TEST_SMALL_DISK) return true;
  const folder = mkdtempSync(join(tmpdir(), 'cairn-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'cairn-test', folder]);
  if (status === 0) execFileSync('umount', [folder]);
  else console.warn('No small disk can be mounted here: what a full disk does is not tested. See docs/testing.md.');
  rmdirSync(folder);
  return status === 0;
}

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = process.env.CAIRN_TEST_SMALL_DISK
    ? clearedFolder(process.env.CAIRN_TEST_SMALL_DISK)
    : mount(megabytes);
  const filling = join(folder, 'filling');
  return {
    folder,
    fill: () => fillUp(filling),
    free: () => rmSync(filling, { force: true }),
  };
}

function mount(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'cairn-test', folder], { stdio: 'pipe' });
  onTestFinished(() => {
    // A process of the test may still be exiting.
    execFileSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  return folder;
}

function clearedFolder(folder: string): string {
  const clear = () => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  };
  clear();
  onTestFinished(clear);
  return folder;
}

const CHUNK_BYTES = 65_536;

/** Writes large chunks, then small ones. The remaining space is less than any file system allocates at once. */
function fillUp(file: string): void {
  const handle = openSync(file, 'a');
  try {
    for (let bytes = CHUNK_BYTES; bytes >= 1; bytes >>= 4) writeUntilFull(handle, new Uint8Array(bytes));
  } finally {
    closeSync(handle);
  }
}

function writeUntilFull(handle: number, chunk: Uint8Array): void {
  try {
    for (;;) writeSync(handle, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
