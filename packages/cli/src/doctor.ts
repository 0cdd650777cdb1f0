import { statSync } from 'node:fs';
import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import { VERSION } from '@cairn/protocol/version';
import { type CairnClient, CairnError, type Capabilities, type PermissionAnswer, type Whoami } from '@cairn/sdk';
import { EXIT, exitCodeOf, UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type Look, shellWord, shownTime } from './look.ts';
import { CHOSEN_BY, type Choice, NOT_SIGNED_IN, sameServer, serverUrl, signInHint } from './profile-choice.ts';
import { profileFile, readProfiles } from './profile-file.ts';
import { chooseRepo, LIST_REPOSITORIES, parseRepoName, type RepoName } from './repo-choice.ts';
import { formatScope } from './scope.ts';

const CHECKS = [
  'node',
  'profiles',
  'server',
  'clock',
  'version',
  'address',
  'token',
  'repository',
  'permissions',
] as const;

export interface Check {
  readonly check: (typeof CHECKS)[number];
  /** `note` is not a problem, but may surprise. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly mend?: string;
  /** Exit code of a command that meets this problem. */
  readonly exitCode?: number;
}

const ok = (check: Check['check'], message: string): Check => ({ check, state: 'ok', message });

const note = (check: Check['check'], message: string, mend?: string): Check => ({
  ...{ check, state: 'note', message },
  ...(mend !== undefined && { mend }),
});

type Problem = Pick<Check, 'message' | 'exitCode'> & { readonly mend: string };

export const problem = (check: Check['check'], { message, mend, exitCode = EXIT.failed }: Problem): Check => ({
  ...{ check, state: 'problem', message, mend, exitCode },
});

/** Uses the first problem, which often causes the later ones. */
export function exitCodeOfChecks(checks: readonly Check[]): number {
  return checks.find(({ state }) => state === 'problem')?.exitCode ?? EXIT.done;
}

const STATE_WIDTH = 'problem'.length;
const CHECK_WIDTH = Math.max(...CHECKS.map((name) => name.length));

const STYLES = { ok: 'good', note: 'note', problem: 'bad' } as const;

export function checkText({ check, state, message, mend }: Check, { paint }: Look): string {
  const line = `${paint(STYLES[state], state.padEnd(STATE_WIDTH))}  ${check.padEnd(CHECK_WIDTH)}  ${message}`;
  return mend === undefined ? line : `${line}\n${' '.repeat(STATE_WIDTH + CHECK_WIDTH + 4)}${mend}`;
}

/** Same as in run.mjs. */
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
  if (file === undefined || found === undefined) return note('profiles', 'No profile is stored on this machine.');
  const names = Object.keys(readProfiles(file).profiles);
  const kept = `${file} contains ${names.join(', ') || 'none'}`;
  if (io.platform === 'win32') return ok('profiles', kept);
  if (io.userId !== undefined && found.uid !== io.userId) {
    return problem('profiles', {
      message: `${file} belongs to another user, who can read and change your tokens.`,
      mend: `Remove it and sign in again: cairn auth login. Or set CAIRN_CONFIG to a file of your own.`,
    });
  }
  if ((found.mode & OTHERS) === 0) return ok('profiles', `${kept}; only you can read it`);
  return problem('profiles', {
    message: `Other users of this machine can read or change ${file}, which contains tokens.`,
    mend: `chmod 600 ${shellWord(file)}`,
  });
}

const ANSWER_MS_MAX = 10_000;

/** `skewMs` is the server clock minus the local clock; undefined if the server sent no date. */
export async function checkConnection({ url, urlFrom }: Choice) {
  const askedAt = Date.now();
  try {
    const answer = await fetch(`${serverUrl(url)}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    const ms = Date.now() - askedAt;
    const said = (await answer.json().catch(() => undefined)) as { status?: unknown } | undefined;
    if (!answer.ok || said?.status !== 'live') return { check: notCairn(url, answer.status), answered: false } as const;
    const skewMs = skewOf(answer.headers.get('date'), { askedAt, ms });
    return { check: ok('server', `${url} (${CHOSEN_BY[urlFrom]}) answers in ${ms} ms`), skewMs, answered: true };
  } catch (error) {
    return { check: noAnswer(url, error), answered: false } as const;
  }
}

function notCairn(url: string, status: number): Check {
  return problem('server', {
    message: `${url} answers with ${status}, but not like a Cairn server.`,
    mend: 'Check the address: --url, CAIRN_URL, or the profile in cairn auth status. A proxy in front of the server must forward /health.',
    exitCode: EXIT.network,
  });
}

function noAnswer(url: string, error: unknown): Check {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const reason = cause instanceof Error ? cause.message || code || cause.name : String(cause);
  return problem('server', {
    message: `${url} does not answer: ${reason}`,
    mend:
      MENDS[code ?? ''] ??
      'Check the address (--url, CAIRN_URL), and that the server is running. To start one here: cairn serve.',
    exitCode: EXIT.network,
  });
}

const CERTIFICATE =
  'This machine does not trust its certificate. Set NODE_EXTRA_CA_CERTS to the file of its certificate authority.';

const MENDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name does not exist. Check the address (--url, CAIRN_URL) and your network.',
  EAI_AGAIN: 'Host names cannot be looked up at the moment. Check your network.',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  CERT_HAS_EXPIRED:
    'Its certificate has expired, and the operator of the server must renew it. Also check the clock of this machine.',
};

/** The header is rounded to seconds and was made during the request. Differences within that range are no skew. */
function skewOf(date: string | null, { askedAt, ms }: { askedAt: number; ms: number }): number | undefined {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return undefined;
  const [earliest, latest] = [askedAt - 1_000, askedAt + ms];
  if (at < earliest) return at - earliest;
  return at > latest ? at - latest : 0;
}

/** Session tokens last an hour and are refreshed early. Webhook signatures are valid for five minutes. */
const SKEW_MS_MAX = 60_000;

export function checkClock(skewMs: number | undefined): Check {
  if (skewMs === undefined) return note('clock', 'The server does not report its time.');
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  if (Math.abs(skewMs) <= SKEW_MS_MAX) return ok('clock', seconds === 0 ? 'same as the server' : `${seconds} s apart`);
  return problem('clock', {
    message: `This machine is ${seconds} s ${skewMs < 0 ? 'ahead of' : 'behind'} the server: tokens seem to expire too early or too late.`,
    mend: 'Correct the clock that is wrong, preferably with NTP (timedatectl set-ntp true).',
  });
}

export function checkVersion({ version, engine }: Capabilities): Check {
  if (version === VERSION) return ok('version', `${VERSION}, same as the server, which uses ${engine}`);
  const message = `The command has version ${VERSION}, the server ${version}.`;
  const [own, other] = [VERSION, version].map((text) => text.split('.').slice(0, 2).join('.'));
  if (own === other) return note('version', message);
  return problem('version', {
    message,
    mend: `They may be incompatible. Install the command in the version of the server: npm install -g @cairn/cli@${version}`,
  });
}

/** Sign-in, invitations and downloads lead to the public address of the server. */
export async function checkAddress(url: string): Promise<Check> {
  const issuer = await issuerOf(url).catch(() => undefined);
  if (issuer === undefined) return note('address', 'The server does not report its own address.');
  if (URL.canParse(issuer) && sameServer(issuer, url)) return ok('address', 'same as the server reports');
  return note(
    'address',
    `The server calls itself ${issuer}: links for sign-in, invitations and downloads lead there.`,
    `Use that address: --url ${issuer}. If it is wrong, set CAIRN_PUBLIC_URL on the server.`,
  );
}

async function issuerOf(url: string): Promise<string | undefined> {
  const address = `${serverUrl(url)}/.well-known/oauth-authorization-server`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  const { issuer } = (await answer.json()) as { issuer?: unknown };
  return typeof issuer === 'string' ? issuer : undefined;
}

const SOON_MS = 7 * 86_400_000;

export async function checkToken(client: CairnClient, choice: Choice): Promise<{ check: Check; caller?: Whoami }> {
  try {
    const caller = await client.auth.whoami();
    return { check: tokenCheck(caller, choice), caller };
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'UNAUTHENTICATED') throw error;
    const mend = signInHint(choice, error) ?? NOT_SIGNED_IN;
    // The rest of the message is for programs; `mend` is for people.
    const [message = ''] = error.message.split(/(?<=\.) /);
    return { check: problem('token', { message, mend, exitCode: EXIT.notSignedIn }) };
  }
}

function tokenCheck(caller: Whoami, choice: Choice): Check {
  if (caller.kind === 'anonymous') return anonymousCheck(choice);
  const by = choice.tokenFrom === 'profile' ? `the profile ${choice.profileName}` : choice.tokenFrom;
  const message = `${identityOf(caller)}, from ${by}`;
  if (caller.kind === 'session') return ok('token', `${message}; refreshed automatically while in use`);
  const until = `${message}; expires ${shownTime(caller.expiresAt)}`;
  if (caller.expiresAt - Date.now() > SOON_MS) return ok('token', until);
  return note('token', `${until}, which is soon`, renewal(caller));
}

function renewal(caller: Exclude<Whoami, { kind: 'anonymous' | 'session' }>): string {
  if (caller.kind === 'component')
    return 'Install the component again to give it a new token: cairn component install.';
  return `Create a new one in time: cairn token create NAME --scope SCOPE. This one is called ${caller.tokenName}.`;
}

function identityOf(caller: Exclude<Whoami, { kind: 'anonymous' }>): string {
  if (caller.kind === 'component') return `the component ${caller.component} in ${caller.repo}`;
  if (caller.kind === 'session') return `${caller.handle}, signed in`;
  return `${caller.handle}, with the token ${caller.tokenName} (${caller.scopes.map(formatScope).join('; ')})`;
}

function anonymousCheck(choice: Choice): Check {
  const refused = new CairnError('UNAUTHENTICATED', { message: '' });
  return problem('token', {
    message: 'Without a sign-in, you can read public repositories only.',
    mend: signInHint(choice, refused) ?? NOT_SIGNED_IN,
    exitCode: EXIT.notSignedIn,
  });
}

export async function checkRepository(
  client: CairnClient,
  io: Io,
  flags: { readonly repo?: string },
): Promise<Check[]> {
  const choice = chosenRepo(io, flags);
  if (choice instanceof UsageError) {
    return [
      problem('repository', {
        message: 'The chosen repository cannot be used.',
        mend: choice.message,
        exitCode: EXIT.usage,
      }),
    ];
  }
  if (choice === undefined) {
    return [note('repository', 'No repository is chosen.', 'Choose one for this folder: cairn use ORG/REPO.')];
  }
  const { name, from } = choice;
  const full = `${name.orgName}/${name.repoName}`;
  try {
    const { visibility, archived, repoSeq } = await client.repo.get(name.orgName, name.repoName);
    const state = archived ? `${visibility}, archived` : visibility;
    return [
      ok('repository', `${full} (from ${from}), ${state}, at commit ${repoSeq}`),
      await checkRights(client, name),
    ];
  } catch (error) {
    if (!(error instanceof CairnError)) throw error;
    return [refusedRepository(`${full} (from ${from})`, error)];
  }
}

function refusedRepository(repository: string, error: CairnError): Check {
  if (error.code !== 'NOT_FOUND') {
    const mend = error.hint ?? 'Try another token. cairn auth status shows which one you use.';
    return problem('repository', { message: `${repository}: ${error.message}`, mend, exitCode: exitCodeOf(error) });
  }
  const message = `There is no repository ${repository} that you can see.`;
  return problem('repository', { message, mend: LIST_REPOSITORIES, exitCode: EXIT.notFound });
}

function chosenRepo(io: Io, flags: { readonly repo?: string }) {
  try {
    const choice = chooseRepo(io, flags);
    return choice && { name: parseRepoName(choice.repo), from: choice.file ?? choice.from };
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

const REPOSITORY_SCOPES = SCOPE_NAMES.filter((scope) => scope.startsWith('repo:'));

async function checkRights(client: CairnClient, { orgName, repoName }: RepoName): Promise<Check> {
  const answers = await Promise.all(
    REPOSITORY_SCOPES.map(async (scope) => ({
      scope,
      answer: await client.access.checkRepoPermission(orgName, repoName, scope),
    })),
  );
  const allowed = answers.filter(({ answer }) => answer.allowed).map(({ scope, answer }) => scopeText(scope, answer));
  const refused = answers.filter(({ answer }) => !answer.allowed);
  const may = `you have ${allowed.join(', ') || 'none'}`;
  if (refused.length === 0) return ok('permissions', may);
  const not = `${may}; you lack ${refused.map(({ scope }) => scope).join(', ')}`;
  const byRole = refused.some(({ answer }) => !answer.byRole);
  const byToken = refused.some(({ answer }) => !answer.byToken);
  return note(
    'permissions',
    not,
    [
      ...(byRole ? [`Your role does not include all of them. An admin of ${orgName} can give you another role.`] : []),
      ...(byToken ? ['The token does not allow all of them. To create one that does: cairn token create.'] : []),
    ].join(' '),
  );
}

const scopeText = (scope: string, { narrowed }: PermissionAnswer) =>
  narrowed ? `${scope} (some records only)` : scope;
