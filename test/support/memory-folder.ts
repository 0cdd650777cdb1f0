// Where files cost least: in memory. Each test has a database of hundreds of files, and what it writes must reach the disk.
import { mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { platform } from 'node:os';

const PLACE = '/dev/shm';
/** Several times what a run was ever seen to hold. */
const SPACE_MIN = 6 * 1024 ** 3;

/** A folder for what the tests write, or `undefined` where memory is short, or no program may be run from there. */
export function memoryFolder(): string | undefined {
  if (platform() !== 'linux' || !runsPrograms() || process.availableMemory() < SPACE_MIN) return undefined;
  const { bavail, bsize } = statfsSync(PLACE);
  if (bavail * bsize < SPACE_MIN) return undefined;
  const folder = `${PLACE}/cairn-tests`;
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** As it is mounted last. In many containers it lets nothing run. */
function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.findLast((line) => line.split(' ')[1] === PLACE)?.split(' ')[3];
  return options?.split(',').includes('noexec') === false;
}
