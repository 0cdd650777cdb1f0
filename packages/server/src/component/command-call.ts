// One call of a component's method: signed by the credential set that the manifest names, sent, and answered for.
import type { ExecAnswer } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { scanJson } from '@cairn/protocol/json-scan';
import type { CliMethod } from '@cairn/protocol/manifest';
import { VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { homeIdOf } from '../access/home.rule.ts';
import { findComponentSetId } from '../action/delivery/credential-set.sql.ts';
import type { UseRefusal } from '../action/delivery/credential-set-use.write.ts';
import { openValues } from '../action/delivery/credential-use.ts';
import { secretsOf } from '../action/delivery/delivery-header.ts';
import type { OutboundAnswer, OutboundFailure, OutboundRequest } from '../action/delivery/outbound.ts';
import { createScrubber } from '../keys/scrub.ts';
import { attempt } from '../model/attempt.ts';
import { messageIn } from './answer.ts';
import { COMMAND_SECRET, commandHeaders } from './command-signature.ts';
import { type FoundComponent, fullNameOf } from './component.sql.ts';

const ANSWER_BYTES_MAX = 2 ** 20;
const ANSWER_DEPTH_MAX = 64;
/** What is shorter is a word that an answer may well hold. */
const SECRET_CHARACTERS_MIN = 8;

export interface Command {
  /** Of the repository that the component is installed in. */
  readonly grant: Grant;
  readonly component: FoundComponent;
  readonly method: CliMethod;
  /** Checked, in the order of the manifest. */
  readonly values: ReadonlyMap<string, string | number | boolean>;
  /** Without the arguments. */
  readonly url: URL;
}

export interface OpenedCommand {
  readonly secret: string;
  scrub(text: string): string;
}

/** Refuses where there is nothing to sign it with. */
export async function openCommand(context: Context, command: Command): Promise<OpenedCommand> {
  const { grant, component, method, url } = command;
  const homeId = homeIdOf(grant);
  const named = fullNameOf(component);
  const set = { homeId, name: method.credentialSet, component: named };
  const credentialSetId = await findComponentSetId(context.store.database, set);
  if (credentialSetId === undefined) throw unsigned(command, 'missing');
  const use = { homeId, credentialSetId, actor: `component:${named}`, origin: url.origin };
  const details = { method: method.name };
  const values = await openValues(context, { ...use, target: 'command', details }, [COMMAND_SECRET]);
  if (typeof values === 'string') throw unsigned(command, values);
  const secrets = secretsOf(values).filter(({ length }) => length >= SECRET_CHARACTERS_MIN);
  return { secret: values.get(COMMAND_SECRET) ?? '', scrub: createScrubber(secrets) };
}

function unsigned({ grant: { repository }, method: { credentialSet } }: Command, reason: UseRefusal): CairnError {
  const repo = `${repository.orgName}/${repository.name}`;
  const message =
    reason === 'revoked'
      ? `The credential set ${credentialSet} was revoked. Delete it, and install the component again to have another.`
      : `There is no ${COMMAND_SECRET} to sign the call with. Where its setup sets it, install the component again; or else set it: cairn credential set ${credentialSet} ${COMMAND_SECRET} --repo ${repo}`;
  return fail('CONFLICT', { message, details: { reason: `credentials_${reason}`, credentialSet } });
}

export async function callCommand(
  { outbound }: Context,
  command: Command,
  { secret, scrub }: OpenedCommand,
): Promise<ExecAnswer> {
  const answer = await outbound.send(requestOf(command, secret));
  return answerOf(answer, scrub);
}

function requestOf({ grant, method: { method }, values, url }: Command, secret: string): OutboundRequest {
  const inQuery = method === 'GET' || method === 'DELETE';
  const asked = new URL(url);
  if (inQuery) for (const [name, value] of values) asked.searchParams.append(name, String(value));
  const body = inQuery ? '' : JSON.stringify(Object.fromEntries(values));
  const installRepo = `${grant.repository.orgName}/${grant.repository.name}`;
  const signed = { method, url: asked, installRepo, body, timestampMs: Date.now() };
  const headers = {
    ...commandHeaders(secret, signed),
    accept: 'application/json',
    'user-agent': `Cairn/${VERSION}`,
    ...(!inQuery && { 'content-type': 'application/json' }),
  };
  const sent = inQuery ? {} : { body };
  return { method, url: asked.href, headers, ...sent, answerBytesMax: ANSWER_BYTES_MAX };
}

function answerOf(answer: OutboundAnswer | OutboundFailure, scrub: (text: string) => string): ExecAnswer {
  if (answer.kind === 'failure') throw notReached(answer);
  const { status, body, truncated } = answer;
  if (status >= 400 && status < 500) {
    const said = messageIn(body, scrub);
    const message = `The component answered ${status}${said === undefined ? '.' : `: ${said}`}`;
    throw fail('VALIDATION_ERROR', { message, details: { status } });
  }
  if (status < 200 || status > 299) {
    const why = status < 400 ? 'Redirects are not followed.' : 'Try again, or ask who runs it.';
    throw fail('UPSTREAM_ERROR', { message: `The component answered ${status}. ${why}`, details: { status } });
  }
  if (truncated) {
    const message = `The component answered with more than ${ANSWER_BYTES_MAX} bytes. Ask it for less.`;
    throw fail('UPSTREAM_ERROR', { message, details: { status, maxBytes: ANSWER_BYTES_MAX } });
  }
  return { status, body: readAs(answer.headers['content-type'], scrub(body)) };
}

function notReached({ code, message }: OutboundFailure): CairnError {
  const late = code === 'TIMEOUT' || code === 'CONNECT_TIMEOUT';
  return fail(late ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', {
    message: `The component ${code === 'TIMEOUT' ? 'was too slow' : 'was not reached'}. ${message}`,
    details: { reason: code },
  });
}

/** JSON that parsing would change stays the text that it is. */
function readAs(contentType: string | undefined, text: string): unknown {
  if (!/^application\/(?:[a-z0-9.+-]+\+)?json\b/i.test(contentType ?? '')) return text;
  const problem = attempt(() => scanJson(text, { maxDepth: ANSWER_DEPTH_MAX }));
  return problem === undefined ? JSON.parse(text) : text;
}
