// `cairn auth login`: signs in, and keeps it in a profile.
import { CairnClient, CairnError, type Whoami } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type DeviceCode, endSession, signInByDevice } from '../oauth.ts';
import { type Choice, choose, sameServer, serverUrl } from '../profile-choice.ts';
import { changeProfiles, type Profile, profileNamed } from '../profile-file.ts';
import { readSecret } from '../prompt.ts';
import { type GlobalFlags, openSession, type Session } from '../session.ts';
import { oneLine } from '../shown.ts';

interface LoginFlags extends GlobalFlags {
  readonly browser: boolean;
  readonly withToken?: true;
}

const DESCRIPTION = `Signs in to a server, which --url names: shows a page and a code, and waits until you have let the
command in there. The browser need not be on this machine. It is kept as a profile, which is used from then on and
refreshed without notice; --profile names another than the present one, such as for a second server.
With --json the page and the code are one line of JSON on standard error, before the result.`;

export function addLogin(auth: Command, io: Io): void {
  auth
    .command('login')
    .summary('sign in to a server, with a browser or a token')
    .description(DESCRIPTION.replaceAll('\n', ' '))
    .option('--no-browser', 'open no browser: show the page and the code alone')
    .option('--with-token', 'sign in with a token that is read from standard input')
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
      await keep(choice, { url, handle: nameOf(who), ...credentials });
      const result = { profile: choice.profileName, url, ...who };
      session.print(result, `Signed in to ${url} as ${nameOf(who)}, in the profile ${choice.profileName}.`);
      if (io.environment.CAIRN_TOKEN !== undefined) {
        session.say('CAIRN_TOKEN is set, and goes before the profile. Unset it to use what you signed in with.');
      }
    });
}

/** A profile is of one server: what is signed in there must not be lost by a slip. */
function refuseOtherServer({ profile, profileName, url }: Choice): void {
  if (profile === undefined || sameServer(profile.url, url)) return;
  throw new UsageError(
    `The profile ${profileName} is of ${profile.url}. Give another name for ${url}: --profile NAME; or sign out first: cairn auth logout --profile ${profileName}.`,
  );
}

/** Also with `--quiet`: without the code nobody can sign in. */
function showCode(io: Io, { format }: Session, code: DeviceCode & LoginFlags): void {
  const { verificationUri, verificationUriComplete, userCode, expiresAt } = code;
  if (format === 'pretty') {
    io.stderr(`Open ${oneLine(verificationUriComplete)}\nand compare the code there: ${oneLine(userCode)}\n`);
    const minutes = Math.max(1, Math.round((expiresAt - Date.now()) / 60_000));
    io.stderr(`Waiting until you have signed in, for ${minutes} minutes at most; Ctrl-C ends it.\n`);
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
    message: `${url} does not take this token: it is malformed, expired, revoked or of another server. Give another, or sign in with a browser: cairn auth login.`,
  });
}

const nameOf = (who: Exclude<Whoami, { kind: 'anonymous' }>) => (who.kind === 'component' ? who.component : who.handle);

/** The session that was there before is over: it would stay in the list of sessions, with nobody to use it. */
async function keep({ file, profileName }: Choice, profile: Profile): Promise<void> {
  let before: Profile | undefined;
  await changeProfiles(file, (profiles) => {
    before = profileNamed(profiles, profileName);
    return { current: profileName, profiles: { ...profiles.profiles, [profileName]: profile } };
  });
  if (before !== undefined && sameServer(before.url, profile.url)) await endSession(before).catch(() => {});
}
