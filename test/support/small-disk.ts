// A file system of a few megabytes, which a test fills and frees. Only root may mount one; who is not can have one prepared.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte. */
  fill(): void;
  /** Takes back what `fill` has put there. */
  free(): void;
}

/** It goes with the test. */
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
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'cairn-test', folder], {
      stdio: 'pipe',
    });
  } catch (cause) {
    rmdirSync(folder);
    throw new Error(
      `This test fills a disk, and could not mount a small one to fill. Run it as root (in a container, with --cap-add SYS_ADMIN), or set CAIRN_TEST_SMALL_DISK to a folder that is a file system of its own, of ${megabytes} MB, whose content may be deleted (mount -t tmpfs -o size=${megabytes}m,mode=0777 cairn-test FOLDER).`,
      { cause },
    );
  }
  onTestFinished(() => {
    // A process of the test may still be on its way out.
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

/** In large steps, then in small ones: what is left is less than any file system gives out at once. */
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
