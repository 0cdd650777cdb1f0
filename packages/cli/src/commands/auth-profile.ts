// `cairn auth login|logout|status|use`: signs in and out, and stores sessions and tokens as profiles.
import { CairnClient, CairnError, type Whoami } from '@cairn/sdk';
import type { Command } from 'commander';
import { EXIT, UsageError } from '../exit-codes.ts';
import type { CommandIo, Io } from '../io.ts';
import { type Look, oneLine } from '../look.ts';
import { type DeviceCode, endSession, signInByDevice } from '../oauth.ts';
import {
  CHOSEN_BY,
  type Choice,
  checkedName,
  choose,
  chooseKnown,
  credentialsOf,
  sameServer,
  serverUrl,
  signInHint,
  unknownProfile,
} from '../profile-choice.ts';
import {
  changeProfiles,
  type Profile,
  type Profiles,
  profileFile,
  profileNamed,
  readProfiles,
} from '../profile-file.ts';
import { readSecret } from '../prompt.ts';
import { type GlobalFlags, openSession, type Session } from '../session.ts';
import { table } from '../table.ts';

interface LoginFlags extends GlobalFlags {
  readonly browser: boolean;
  readonly withToken?: true;
}

const DESCRIPTION = `Signs in to the server of --url. Shows a page and a code, and waits until you approve the sign-in on
that page, with a browser on this or any other machine. Stores the session as a profile, which later commands use and
refresh. --profile names the profile, for example for a second server. With --json, the page and the code are one line
of JSON on standard error, before the result.`;

export function addLogin(auth: Command, io: Io): void {
  auth
    .command('login')
    .summary('sign in to a server, with a browser or a token')
    .description(DESCRIPTION.replaceAll('\n', ' '))
    .option('--no-browser', 'do not open a browser; only show the page and the code')
    .option('--with-token', 'sign in with a token from standard input')
    .action(async (_: object, command: Command) => {
      const flags: LoginFlags = command.optsWithGlobals();
      const session = openSession(io, command);
      const choice = choose(io, flags);
      refuseOtherServer(choice);
      const url = serverUrl(choice.url);
      const credentials = flags.withToken
        ? { token: await readSecret(io, 'The token') }
        : { session: await signInByDevice(url, (code) => showCode(io, session, { ...code, ...flags })) };
      const who = await whoIs(url, credentials);
      const profile = { url, handle: callerName(who), ...credentials };
      await keep(choice, profile);
      session.print({ profile: choice.profileName, url, ...who }, signedIn(choice, profile));
      tellOverride(io, session);
    });
}

interface Owner extends GlobalFlags {
  readonly url: string;
  readonly handle: string;
  readonly token: string;
}

/** Never fails: the owner exists by now and has seen the token. */
export async function signInOwner(io: Io, session: Session, { url, handle, token, ...flags }: Owner): Promise<void> {
  try {
    const choice = choose(io, { ...flags, url });
    refuseOtherServer(choice);
    await keep(choice, { url, handle, token });
    session.say(signedIn(choice, { url, handle }));
    tellOverride(io, session);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    session.say(`You are not signed in. ${error.message}`);
  }
}

const signedIn = ({ profileName }: Choice, { url, handle }: Pick<Profile, 'url' | 'handle'>) =>
  `Signed in to ${url} as ${handle}, in the profile ${profileName}.`;

function tellOverride({ environment }: Io, { say }: Session): void {
  if (environment.CAIRN_TOKEN === undefined) return;
  say('CAIRN_TOKEN is set and overrides the profile. Unset it to use this sign-in.');
}

/** A profile belongs to one server. Overwriting it by mistake would lose that sign-in. */
function refuseOtherServer({ profile, profileName, url }: Choice): void {
  if (profile === undefined || sameServer(profile.url, url)) return;
  throw new UsageError(
    `The profile ${profileName} belongs to ${profile.url}. Use another profile for ${url} with --profile NAME, or sign out first: cairn auth logout --profile ${profileName}.`,
  );
}

/** Also with `--quiet`: without the code nobody can sign in. */
function showCode(io: Io, { format }: Session, code: DeviceCode & LoginFlags): void {
  const { verificationUri, verificationUriComplete, userCode, expiresAt } = code;
  if (format === 'pretty') {
    io.stderr(`Open ${oneLine(verificationUriComplete)}\nand compare the code there: ${oneLine(userCode)}\n`);
    const minutes = Math.max(1, Math.round((expiresAt - Date.now()) / 60_000));
    io.stderr(`Waiting up to ${minutes} minutes for you to sign in. Press Ctrl-C to stop.\n`);
  } else {
    io.stderr(`${JSON.stringify({ verificationUri, verificationUriComplete, userCode, expiresAt })}\n`);
  }
  if (code.browser && io.isTerminal && /^https?:/.test(verificationUriComplete)) io.openPage(verificationUriComplete);
}

type Credentials = Pick<Profile, 'session' | 'token'>;

async function whoIs(url: string, { session, token }: Credentials): Promise<Exclude<Whoami, { kind: 'anonymous' }>> {
  const client = new CairnClient({ url, token: session?.accessToken ?? token });
  const who = await client.auth.whoami().catch((error: unknown) => {
    throw token !== undefined && isRefused(error) ? unknownToken(url) : error;
  });
  if (who.kind === 'anonymous') throw new UsageError(`${url} does not say whose token it is.`);
  return who;
}

const isRefused = (error: unknown) => error instanceof CairnError && error.code === 'UNAUTHENTICATED';

function unknownToken(url: string): CairnError {
  return new CairnError('UNAUTHENTICATED', {
    message: `${url} refused this token: it is malformed, expired, revoked or from another server. Use another token, or sign in with a browser: cairn auth login.`,
  });
}

const callerName = (who: Exclude<Whoami, { kind: 'anonymous' }>) =>
  who.kind === 'component' ? who.component : who.handle;

/** Ends the previous session, which would otherwise stay in the list of sessions, unused. */
async function keep({ file, profileName }: Choice, profile: Profile): Promise<void> {
  let before: Profile | undefined;
  await changeProfiles(file, (profiles) => {
    before = profileNamed(profiles, profileName);
    return { current: profileName, profiles: { ...profiles.profiles, [profileName]: profile } };
  });
  if (before !== undefined && sameServer(before.url, profile.url)) await endSession(before).catch(() => {});
}

interface SignedOut {
  readonly profile: string;
  readonly url: string;
  /** True if the stored credentials no longer work. */
  readonly ended: boolean;
  readonly advice?: string;
}

export function addLogout(auth: Command, io: Io): void {
  auth
    .command('logout')
    .summary('end the session of a profile, and delete the profile')
    .option('--all', 'sign out of all profiles')
    .action(async (_: object, command: Command) => {
      const { all, ...flags }: GlobalFlags & { all?: true } = command.optsWithGlobals();
      const { print, say } = openSession(io, command);
      const signedOut: SignedOut[] = [];
      for (const name of all ? Object.keys(readProfiles(profileFile(io)).profiles) : [choose(io, flags).profileName]) {
        signedOut.push(await signOut(io, name));
      }
      print({ profiles: signedOut }, signedOut.map(sentence).join('\n') || 'You are not signed in.');
      if (io.environment.CAIRN_TOKEN !== undefined) say('CAIRN_TOKEN is still set, and commands use it.');
    });
}

/** Forgets the profile first, under the lock, so that no other command refreshes a session that is about to end. */
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
    return { profile: name, url, ended: false, advice: 'The token is still valid. To revoke it: cairn token revoke.' };
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
      advice: `The session is still active. End it at ${url}/auth/account. ${reason}`,
    };
  }
}

function without({ current, profiles }: Profiles, name: string): Profiles {
  const { [name]: _, ...rest } = profiles;
  return { ...(current !== undefined && current !== name && { current }), profiles: rest };
}

function sentence({ profile, url, advice }: SignedOut): string {
  return `Signed out of ${url}. The profile ${profile} was deleted.${advice === undefined ? '' : `\n${advice}`}`;
}

interface SignInState {
  readonly state: 'signed in' | 'ended' | 'no answer' | 'not signed in';
  readonly who?: string;
  /** For tokens only: sessions are refreshed while in use. */
  readonly expiresAt?: number;
}

export function addStatus(auth: Command, io: CommandIo): void {
  auth
    .command('status')
    .summary('show where you are signed in, and which profile is used')
    .action(async (_: object, command: Command) => {
      const flags: GlobalFlags = command.optsWithGlobals();
      const { print } = openSession(io, command);
      const choice = chooseKnown(io, flags);
      const used = await usedBy(io, choice);
      const listed = Object.entries(readProfiles(choice.file).profiles);
      const profiles = await Promise.all(listed.map((entry) => findSignInState(choice, entry)));
      print({ used, profiles }, (look) => shown(used, profiles, look));
      if (used.state !== 'signed in') io.setExitCode(used.state === 'no answer' ? EXIT.network : EXIT.notSignedIn);
    });
}

interface Used extends SignInState {
  readonly url: string;
  readonly urlFrom: Choice['urlFrom'];
  readonly tokenFrom?: Choice['tokenFrom'];
  readonly profile?: string;
  readonly profileFrom?: Choice['profileFrom'];
  readonly hint?: string;
}

async function usedBy({ environment }: Io, choice: Choice): Promise<Used> {
  const { url, urlFrom, tokenFrom, profile, profileName, profileFrom } = choice;
  const status = tokenFrom === undefined ? ({ state: 'not signed in' } as const) : await ask(choice, environment);
  const refused = new CairnError('UNAUTHENTICATED', { message: '' });
  const hint = status.state === 'signed in' || status.state === 'no answer' ? undefined : signInHint(choice, refused);
  return {
    ...{ url, urlFrom, ...status },
    ...(tokenFrom !== undefined && { tokenFrom }),
    ...(profile !== undefined && tokenFrom !== 'CAIRN_TOKEN' && { profile: profileName, profileFrom }),
    ...(hint !== undefined && { hint }),
  };
}

async function ask(choice: Choice, environment: Io['environment']): Promise<SignInState> {
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

interface ListedProfile extends SignInState {
  readonly profile: string;
  readonly url: string;
  readonly kind: 'session' | 'token';
}

async function findSignInState({ file }: Choice, [name, profile]: [string, Profile]): Promise<ListedProfile> {
  const { url, handle, session } = profile;
  const own = { url, urlFrom: 'profile', profileFrom: 'current', tokenFrom: 'profile' } as const;
  const status = await ask({ ...own, file, profile, profileName: name }, {});
  return { profile: name, url, kind: session === undefined ? 'token' : 'session', who: handle, ...status };
}

const AUTH_PROFILE_COLUMNS = ['profile', 'who', 'url', 'state', 'expiresAt', 'kind'];

function shown(used: Used, profiles: readonly ListedProfile[], look: Look): string {
  const { url, urlFrom, tokenFrom, profile, profileFrom, who, state, hint } = used;
  const as = who === undefined ? '' : ` as ${who}`;
  const by = tokenFrom === 'profile' ? `, profile ${profile} (${CHOSEN_BY[profileFrom ?? 'default']})` : '';
  return [
    `${SAID[state]} ${url} (${CHOSEN_BY[urlFrom]})${as}${tokenFrom === 'CAIRN_TOKEN' ? ', with CAIRN_TOKEN' : by}`,
    ...(hint === undefined ? [] : [hint]),
    ...(profiles.length === 0 ? [] : ['', table(profiles, AUTH_PROFILE_COLUMNS, look)]),
  ].join('\n');
}

const SAID = {
  'signed in': 'Signed in to',
  'not signed in': 'Not signed in to',
  ended: 'No longer signed in to',
  'no answer': 'No answer from',
};

export function addUse(auth: Command, io: Io): void {
  auth
    .command('use')
    .summary('choose the profile that commands use')
    .argument('<profile>', 'name of the profile; cairn auth status lists them')
    .action(async (given: string, _: object, command: Command) => {
      const name = checkedName(given);
      const { print } = openSession(io, command);
      await changeProfiles(profileFile(io), (profiles) => {
        if (profileNamed(profiles, name) === undefined) throw unknownProfile(name);
        return { ...profiles, current: name };
      });
      const { url } = profileNamed(readProfiles(profileFile(io)), name) ?? {};
      print({ profile: name, url }, `Commands now use the profile ${name} for ${url}.`);
    });
}
