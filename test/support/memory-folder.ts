// A folder in memory, the fastest place for files. Each test has a database of hundreds of files, and its writes must
// otherwise reach the disk.
import { mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { platform } from 'node:os';

const PLACE = '/dev/shm';
/** Several times the largest use seen in a run. */
const SPACE_MIN = 6 * 1024 ** 3;

/** A folder for test files, or `undefined` if memory is short or programs cannot run from there. */
export function memoryFolder(): string | undefined {
  if (platform() !== 'linux' || !runsPrograms() || process.availableMemory() < SPACE_MIN) return undefined;
  const { bavail, bsize } = statfsSync(PLACE);
  if (bavail * bsize < SPACE_MIN) return undefined;
  const folder = `${PLACE}/cairn-tests`;
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Uses the last mount of the folder. Many containers mount it with noexec. */
function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.findLast((line) => line.split(' ')[1] === PLACE)?.split(' ')[3];
  return options?.split(',').includes('noexec') === false;
}
