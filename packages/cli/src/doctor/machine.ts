// What `cairn doctor` looks at on this machine: Node, and the file of profiles.
import { statSync } from 'node:fs';
import type { Io } from '../io.ts';
import { profileFile, readProfiles } from '../profile-file.ts';
import { shellWord } from '../shell-word.ts';
import { type Check, note, ok, problem } from './check.ts';

/** As run.mjs requires it. */
const OLDEST_NODE = [24, 7] as const;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isNewEnough) return ok('node', `Node ${version}`);
  return problem('node', {
    message: `Node ${version} is too old: Cairn needs ${OLDEST_NODE.join('.')} or newer.`,
    mend: 'Install a newer Node from https://nodejs.org.',
  });
}

const OTHERS = 0o077;

export function checkProfiles(io: Io): Check {
  const file = profileFile(io);
  const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file === undefined || found === undefined) return note('profiles', 'None is kept on this machine.');
  const names = Object.keys(readProfiles(file).profiles);
  const kept = `${file} holds ${names.join(', ') || 'none'}`;
  if (io.platform === 'win32') return ok('profiles', kept);
  if (io.userId !== undefined && found.uid !== io.userId) {
    return problem('profiles', {
      message: `${file} belongs to another user, who can read and change your tokens.`,
      mend: `Remove it and sign in again: cairn auth login. Or set CAIRN_CONFIG to a file of your own.`,
    });
  }
  if ((found.mode & OTHERS) === 0) return ok('profiles', `${kept}, for you alone`);
  return problem('profiles', {
    message: `${file} can be read or changed by others on this machine, and holds tokens.`,
    mend: `chmod 600 ${shellWord(file)}`,
  });
}
