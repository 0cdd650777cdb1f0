import { statSync } from 'node:fs';
import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import { VERSION } from '@cairn/protocol/version';
import { type CairnClient, CairnError, type Capabilities, type PermissionAnswer, type Whoami } from '@cairn/sdk';
import { EXIT, exitCodeOf, UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type Look, shellWord } from './look.ts';
import { type Choice, sameServer, serverUrl, signInHint } from './profile-choice.ts';
import { profileFile, readProfiles } from './profile-file.ts';
import { chooseRepo, parseRepoName, type RepoName } from './repo-choice.ts';
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

interface Problem {
  readonly message: string;
  readonly mend: string;
  readonly exitCode?: number;
}

export const problem = (check: Check['check'], { message, mend, exitCode = EXIT.failed }: Problem): Check => ({
  check,
  state: 'problem',
  message,
  mend,
  exitCode,
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

const ANSWER_MS_MAX = 10_000;

interface Answer {
  readonly check: Check;
  /** Server clock minus local clock; undefined if the server sent no date. */
  readonly skewMs?: number | undefined;
  readonly answered: boolean;
}

export async function checkConnection({ url, urlFrom }: Choice): Promise<Answer> {
  const askedAt = Date.now();
  try {
    const answer = await fetch(`${serverUrl(url)}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    const ms = Date.now() - askedAt;
    const said = (await answer.json().catch(() => undefined)) as { status?: unknown } | undefined;
    if (!answer.ok || said?.status !== 'live') return { check: notCairn(url, answer.status), answered: false };
    const skewMs = skewOf(answer.headers.get('date'), { askedAt, ms });
    return { check: ok('server', `${url} (${ADDRESS_FROM[urlFrom]}) answers in ${ms} ms`), skewMs, answered: true };
  } catch (error) {
    return { check: noAnswer(url, error), answered: false };
  }
}

const ADDRESS_FROM = {
  '--url': 'by --url',
  CAIRN_URL: 'by CAIRN_URL',
  profile: 'by the profile',
  default: 'by default',
};

function notCairn(url: string, status: number): Check {
  return problem('server', {
    message: `${url} answers, with ${status}, but not as a Cairn server does.`,
    mend: 'Check the address: --url, CAIRN_URL, or the profile in cairn auth status. A proxy in between must pass /health on.',
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
      'Is the address right (--url, CAIRN_URL), and does the server run? To start one here: cairn serve.',
    exitCode: EXIT.network,
  });
}

const CERTIFICATE = 'Its certificate is not trusted here. Name the file of its authority: NODE_EXTRA_CA_CERTS=FILE.';

const MENDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'No machine has that name: check the address (--url, CAIRN_URL) and your network.',
  EAI_AGAIN: 'Names cannot be looked up at the moment: check your network.',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  CERT_HAS_EXPIRED:
    'Its certificate has expired: whoever runs the server must renew it. Is the clock of this machine right?',
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
  if (skewMs === undefined) return note('clock', 'The server does not say what time it is.');
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  if (Math.abs(skewMs) <= SKEW_MS_MAX)
    return ok('clock', seconds === 0 ? 'as that of the server' : `${seconds} s apart`);
  return problem('clock', {
    message: `This machine is ${seconds} s ${skewMs < 0 ? 'ahead of' : 'behind'} the server: tokens seem to end too early or too late.`,
    mend: 'Set the clock of the machine that is wrong, best by NTP (timedatectl set-ntp true).',
  });
}

export function checkVersion({ version, engine }: Capabilities): Check {
  if (version === VERSION) return ok('version', `${VERSION}, as the server, which is on ${engine}`);
  const message = `The command is ${VERSION}, the server ${version}.`;
  const [own, other] = [VERSION, version].map((text) => text.split('.').slice(0, 2).join('.'));
  if (own === other) return note('version', message);
  return problem('version', {
    message,
    mend: `They may not understand each other. Take the command of the server's version: npm install -g @cairn/cli@${version}`,
  });
}

/** Sign-in, invitations and downloads lead to the public address of the server. */
export async function checkAddress(url: string): Promise<Check> {
  const issuer = await issuerOf(url).catch(() => undefined);
  if (issuer === undefined) return note('address', 'The server does not say which address it has for itself.');
  if (URL.canParse(issuer) && sameServer(issuer, url)) return ok('address', 'as the server has it for itself');
  return note(
    'address',
    `The server calls itself ${issuer}: signing in, invitations and downloads lead there.`,
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
    const mend = signInHint(choice, error) ?? 'Sign in: cairn auth login.';
    // The rest of the message is for programs; `mend` is for people.
    const [message = ''] = error.message.split(/(?<=\.) /);
    return { check: problem('token', { message, mend, exitCode: EXIT.notSignedIn }) };
  }
}

function tokenCheck(caller: Whoami, choice: Choice): Check {
  if (caller.kind === 'anonymous') return anonymousCheck(choice);
  const by = choice.tokenFrom === 'profile' ? `profile ${choice.profileName}` : choice.tokenFrom;
  const message = `${identityOf(caller)}, by ${by}`;
  if (caller.kind === 'session') return ok('token', `${message}; it is refreshed as long as it is used`);
  const until = `${message}; until ${new Date(caller.expiresAt).toISOString()}`;
  if (caller.expiresAt - Date.now() > SOON_MS) return ok('token', until);
  return note('token', `${until}, which is soon`, renewal(caller));
}

function renewal(caller: Exclude<Whoami, { kind: 'anonymous' | 'session' }>): string {
  if (caller.kind === 'component')
    return 'Install the component again, which gives it another: cairn component install.';
  return `Make another in time: cairn token create NAME --scope SCOPE. This one is called ${caller.tokenName}.`;
}

function identityOf(caller: Exclude<Whoami, { kind: 'anonymous' }>): string {
  if (caller.kind === 'component') return `the component ${caller.component} in ${caller.repo}`;
  if (caller.kind === 'session') return `${caller.handle}, signed in`;
  return `${caller.handle}, with the token ${caller.tokenName} (${caller.scopes.map(formatScope).join('; ')})`;
}

function anonymousCheck(choice: Choice): Check {
  const refused = new CairnError('UNAUTHENTICATED', { message: '' });
  return problem('token', {
    message: 'You are not signed in: what is public can be read, nothing else.',
    mend: signInHint(choice, refused) ?? 'Sign in: cairn auth login.',
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
    return [problem('repository', { message: 'None can be used.', mend: choice.message, exitCode: EXIT.usage })];
  }
  if (choice === undefined) {
    return [note('repository', 'None is chosen.', 'Choose one for this folder: cairn use ORG/REPO.')];
  }
  const { name, from } = choice;
  const full = `${name.orgName}/${name.repoName}`;
  try {
    const { visibility, archived, repoSeq } = await client.repo.get(name.orgName, name.repoName);
    const state = archived ? `${visibility}, archived` : visibility;
    return [ok('repository', `${full} (by ${from}), ${state}, at commit ${repoSeq}`), await checkRights(client, name)];
  } catch (error) {
    if (!(error instanceof CairnError)) throw error;
    return [refusedRepository(`${full} (by ${from})`, error)];
  }
}

function refusedRepository(repository: string, error: CairnError): Check {
  if (error.code !== 'NOT_FOUND') {
    const mend = error.hint ?? 'Try another token: cairn auth status shows which one is used.';
    return problem('repository', { message: `${repository}: ${error.message}`, mend, exitCode: exitCodeOf(error) });
  }
  const message = `There is no repository ${repository} that you may see.`;
  const mend = 'List those that you may see: cairn repo list.';
  return problem('repository', { message, mend, exitCode: EXIT.notFound });
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
  const may = `you may ${allowed.join(', ') || 'nothing'}`;
  if (refused.length === 0) return ok('permissions', may);
  const not = `${may}; not ${refused.map(({ scope }) => scope).join(', ')}`;
  const byRole = refused.some(({ answer }) => !answer.byRole);
  const byToken = refused.some(({ answer }) => !answer.byToken);
  return note(
    'permissions',
    not,
    [
      ...(byRole ? [`Your role does not give all of it: who manages ${orgName} can give you another.`] : []),
      ...(byToken ? ['The token does not allow all of it: cairn token create makes one that allows more.'] : []),
    ].join(' '),
  );
}

const scopeText = (scope: string, { narrowed }: PermissionAnswer) => (narrowed ? `${scope} (of some records)` : scope);
