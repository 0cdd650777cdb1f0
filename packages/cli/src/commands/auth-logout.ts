// `cairn auth logout`: ends the session at the server, and forgets it here.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { endSession } from '../oauth.ts';
import { choose, unknownProfile } from '../profile-choice.ts';
import {
  changeProfiles,
  type Profile,
  type Profiles,
  profileFile,
  profileNamed,
  readProfiles,
} from '../profile-file.ts';
import { type GlobalFlags, openSession } from '../session.ts';

interface SignedOut {
  readonly profile: string;
  readonly url: string;
  /** Whether what was kept here is of no use any more to who may have it. */
  readonly ended: boolean;
  /** What is left to do. */
  readonly advice?: string;
}

export function addLogout(auth: Command, io: Io): void {
  auth
    .command('logout')
    .summary('end the session of a profile, and forget the profile')
    .option('--all', 'all profiles')
    .action(async (_: object, command: Command) => {
      const { all, ...flags }: GlobalFlags & { all?: true } = command.optsWithGlobals();
      const { print, say } = openSession(io, command);
      const signedOut: SignedOut[] = [];
      for (const name of all ? Object.keys(readProfiles(profileFile(io)).profiles) : [choose(io, flags).profileName]) {
        signedOut.push(await signOut(io, name));
      }
      print({ profiles: signedOut }, signedOut.map(sentence).join('\n') || 'Nobody is signed in.');
      if (io.environment.CAIRN_TOKEN !== undefined) say('CAIRN_TOKEN is still set, and is used by commands.');
    });
}

/** Forgotten first, under the lock: no other command refreshes what is about to end. */
async function signOut(io: Io, name: string): Promise<SignedOut> {
  let found: Profile | undefined;
  await changeProfiles(profileFile(io), (profiles) => {
    found = profileNamed(profiles, name);
    if (found === undefined) throw unknownProfile(name);
    return without(profiles, name);
  });
  const profile = found as Profile | undefined;
  if (profile === undefined) throw unknownProfile(name);
  const { url } = profile;
  if (profile.session === undefined) {
    return { profile: name, url, ended: false, advice: 'The token is still good: cairn token revoke ends it.' };
  }
  try {
    await endSession(profile);
    return { profile: name, url, ended: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      profile: name,
      url,
      ended: false,
      advice: `The session lives on; end it at ${url}/auth/account. ${reason}`,
    };
  }
}

function without({ current, profiles }: Profiles, name: string): Profiles {
  const { [name]: _, ...rest } = profiles;
  return { ...(current !== undefined && current !== name && { current }), profiles: rest };
}

function sentence({ profile, url, advice }: SignedOut): string {
  return `Signed out of ${url}; the profile ${profile} is forgotten.${advice === undefined ? '' : `\n${advice}`}`;
}
