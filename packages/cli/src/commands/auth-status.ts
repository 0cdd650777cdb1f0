// `cairn auth status`: who is signed in where, and what a command would use and why; `cairn auth use`: which profile that is.
import { CairnClient, CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo, Io } from '../io.ts';
import type { Look } from '../look.ts';
import { type Choice, checkedName, chooseKnown, signInHint, unknownProfile } from '../profile-choice.ts';
import { changeProfiles, type Profile, profileFile, profileNamed, readProfiles } from '../profile-file.ts';
import { credentialsOf } from '../profile-session.ts';
import { type GlobalFlags, openSession } from '../session.ts';
import { table } from '../table.ts';

interface Standing {
  readonly state: 'signed in' | 'ended' | 'no answer' | 'not signed in';
  readonly who?: string;
  /** Of a token, when it ends; a session is refreshed as long as it is used. */
  readonly expiresAt?: number;
}

export function addStatus(auth: Command, io: CommandIo): void {
  auth
    .command('status')
    .summary('show who is signed in where, and which profile is used and why')
    .action(async (_: object, command: Command) => {
      const flags: GlobalFlags = command.optsWithGlobals();
      const { print } = openSession(io, command);
      const choice = chooseKnown(io, flags);
      const used = await usedBy(io, choice);
      const listed = Object.entries(readProfiles(choice.file).profiles);
      const profiles = await Promise.all(listed.map((entry) => standingOf(choice, entry)));
      print({ used, profiles }, (look) => shown(used, profiles, look));
      if (used.state !== 'signed in') io.setExitCode(used.state === 'no answer' ? EXIT.network : EXIT.notSignedIn);
    });
}

/** What commands use now: the server, the token, and what made them so. */
interface Used extends Standing {
  readonly url: string;
  readonly urlFrom: Choice['urlFrom'];
  readonly tokenFrom?: Choice['tokenFrom'];
  readonly profile?: string;
  readonly profileFrom?: Choice['profileFrom'];
  readonly hint?: string;
}

async function usedBy({ environment }: Io, choice: Choice): Promise<Used> {
  const { url, urlFrom, tokenFrom, profile, profileName, profileFrom } = choice;
  const standing = tokenFrom === undefined ? ({ state: 'not signed in' } as const) : await ask(choice, environment);
  const refused = new CairnError('UNAUTHENTICATED', { message: '' });
  const hint =
    standing.state === 'signed in' || standing.state === 'no answer' ? undefined : signInHint(choice, refused);
  return {
    ...{ url, urlFrom, ...standing },
    ...(tokenFrom !== undefined && { tokenFrom }),
    ...(profile !== undefined && tokenFrom !== 'CAIRN_TOKEN' && { profile: profileName, profileFrom }),
    ...(hint !== undefined && { hint }),
  };
}

async function ask(choice: Choice, environment: Io['environment']): Promise<Standing> {
  try {
    const client = new CairnClient({ url: choice.url, ...credentialsOf(choice, environment) });
    const who = await client.auth.whoami();
    if (who.kind === 'anonymous') return { state: 'not signed in' };
    if (who.kind === 'session') return { state: 'signed in', who: who.handle };
    const name = who.kind === 'component' ? who.component : who.handle;
    return { state: 'signed in', who: name, expiresAt: who.expiresAt };
  } catch (error) {
    if (!(error instanceof CairnError)) throw error;
    return { state: error.code === 'UNAUTHENTICATED' ? 'ended' : 'no answer' };
  }
}

interface ListedProfile extends Standing {
  readonly profile: string;
  readonly url: string;
  readonly kind: 'session' | 'token';
}

/** As its own server says; what was known when somebody signed in, where it does not answer. */
async function standingOf({ file }: Choice, [name, profile]: [string, Profile]): Promise<ListedProfile> {
  const { url, handle, session } = profile;
  const own = { url, urlFrom: 'profile', profileFrom: 'current', tokenFrom: 'profile' } as const;
  const standing = await ask({ ...own, file, profile, profileName: name }, {});
  return { profile: name, url, kind: session === undefined ? 'token' : 'session', who: handle, ...standing };
}

const COLUMNS = ['profile', 'url', 'kind', 'who', 'state', 'expiresAt'];

function shown(used: Used, profiles: readonly ListedProfile[], look: Look): string {
  const { url, urlFrom, tokenFrom, profile, profileFrom, who, state, hint } = used;
  const as = who === undefined ? '' : ` as ${who}`;
  const by = tokenFrom === 'profile' ? `, profile ${profile} (${WHY[profileFrom ?? 'default']})` : '';
  return [
    `${SAID[state]} ${url} (${WHY[urlFrom]})${as}${tokenFrom === 'CAIRN_TOKEN' ? ', by CAIRN_TOKEN' : by}`,
    ...(hint === undefined ? [] : [hint]),
    ...(profiles.length === 0 ? [] : ['', table(profiles, COLUMNS, look)]),
  ].join('\n');
}

const SAID = {
  'signed in': 'Signed in to',
  'not signed in': 'Not signed in to',
  ended: 'Not signed in any more to',
  'no answer': 'No answer from',
};

const WHY = {
  '--url': 'by --url',
  CAIRN_URL: 'by CAIRN_URL',
  profile: 'by the profile',
  '--profile': 'by --profile',
  CAIRN_PROFILE: 'by CAIRN_PROFILE',
  current: 'the current one',
  default: 'by default',
};

export function addUse(auth: Command, io: Io): void {
  auth
    .command('use')
    .summary('make a profile the one that commands use')
    .argument('<profile>', 'its name, as cairn auth status lists it')
    .action(async (given: string, _: object, command: Command) => {
      const name = checkedName(given);
      const { print } = openSession(io, command);
      await changeProfiles(profileFile(io), (profiles) => {
        if (profileNamed(profiles, name) === undefined) throw unknownProfile(name);
        return { ...profiles, current: name };
      });
      const { url } = profileNamed(readProfiles(profileFile(io)), name) ?? {};
      print({ profile: name, url }, `Commands use the profile ${name} of ${url} from now on.`);
    });
}
