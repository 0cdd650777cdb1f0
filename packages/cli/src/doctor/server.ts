// What `cairn doctor` asks a server before it says who it is: whether it answers, its clock, its version, its address.
import { VERSION } from '@cairn/protocol/version';
import type { Capabilities } from '@cairn/sdk';
import { EXIT } from '../exit-codes.ts';
import { type Choice, sameServer, serverUrl } from '../profile-choice.ts';
import { type Check, note, ok, problem } from './check.ts';

const ANSWER_MS_MAX = 10_000;

export interface Answer {
  readonly check: Check;
  /** The clock of the server less that of this machine; undefined where it did not say. */
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

/** The header has whole seconds, and was made while the request was on its way: what that explains is no skew. */
function skewOf(date: string | null, { askedAt, ms }: { askedAt: number; ms: number }): number | undefined {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return undefined;
  const [earliest, latest] = [askedAt - 1_000, askedAt + ms];
  if (at < earliest) return at - earliest;
  return at > latest ? at - latest : 0;
}

/** Tokens of sessions last an hour, and are refreshed a while before; signatures of webhooks are taken for five minutes. */
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

/** What a server gives is good for the address that it has for itself. */
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
