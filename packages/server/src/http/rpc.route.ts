// The tRPC wire format: a call, or a batch of calls, to the procedures of `protocol`.

import { isJsonObject, scanJson } from '@cairn/model/json';
import { fail } from '@cairn/protocol/errors';
import { INPUT_WORDS } from '@cairn/protocol/input-words';
import { type ProcedureName, QUERIES } from '@cairn/protocol/procedure-kinds';
import { PROCEDURES } from '@cairn/protocol/procedures';
import { type Access, isScope } from '@cairn/protocol/scopes';
import { requireAccount, requireCredential } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import { OPERATIONS } from '../procedures.ts';
import { answer, answerPreflight } from './answer.ts';
import { proveCaller, refuseComponent } from './arrival.ts';
import { challenge, logFault, retryHeader, toCairnError, trpcErrorShape } from './error.ts';
import { type Answered, type Exchange, operationContext, type RouteHandler, readBody } from './exchange.ts';

// Record data may be 64 levels deep, inside four more levels. The exact depth is checked when the data is stored.
const JSON_DEPTH_MAX = 200;
const MIXED_STATUS = 207;

/** These calls prove by their own read that the callers' view is current, so each has a path of its own. */
export const PROVING_CALLS: readonly ProcedureName[] = ['thing.get', 'commit.submit'];

interface RpcOptions {
  readonly checkOutput: boolean;
}

interface CallAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter?: number | undefined;
}

export function createRpc({ checkOutput }: RpcOptions): RouteHandler {
  return (c) => {
    if (c.method === 'OPTIONS') return answerPreflight(c);
    requireMethod(c);
    const isBatch = c.query('batch') === '1';
    const names = namesIn(c, isBatch);
    const sent = sentInput(c, names);
    const request = { names, isBatch, checkOutput };
    return sent instanceof Promise
      ? sent.then((text) => answerCalls(c, { ...request, text }))
      : answerCalls(c, { ...request, text: sent });
  };
}

interface Calls extends RpcOptions {
  readonly names: readonly string[];
  readonly isBatch: boolean;
  readonly text: string | undefined;
}

function answerCalls(c: Exchange, { names, isBatch, text, checkOutput }: Calls): Answered | Promise<Answered> {
  const inputs = inputsOf(text, isBatch);
  const context = operationContext(c, () => provenContext(c));
  const made = names.map((name, index) => answerCall(c, { context, name, input: () => inputs(index), checkOutput }));
  if (made.every(isMade)) return answerAll(c, made, isBatch);
  return Promise.all(made).then((answers) => answerAll(c, answers, isBatch));
}

const isMade = (one: CallAnswer | Promise<CallAnswer>): one is CallAnswer => !(one instanceof Promise);

async function provenContext(c: Exchange): Promise<Context> {
  await proveCaller(c);
  return operationContext(c);
}

function answerAll(c: Exchange, answers: readonly CallAnswer[], isBatch: boolean): Answered | Promise<Answered> {
  const [first] = answers as [CallAnswer];
  const status = answers.every((one) => one.status === first.status) ? first.status : MIXED_STATUS;
  const waits = answers.flatMap(({ retryAfter }) => retryAfter ?? []);
  const headers = {
    'cache-control': 'private, no-cache',
    vary: 'Authorization',
    ...(status === 401 && challenge(c)),
    ...(status === 405 && { allow: 'POST' }),
    ...(waits.length > 0 && retryHeader(Math.max(...waits))),
  };
  const body = isBatch ? `[${answers.map(({ text }) => text).join(',')}]` : first.text;
  return answer(c, { status, body, contentType: 'application/json', headers });
}

function requireMethod({ method }: Exchange): void {
  if (method === 'GET' || method === 'HEAD' || method === 'POST') return;
  const allow = 'GET, HEAD, POST';
  throw fail('METHOD_NOT_ALLOWED', { message: `Use ${allow} on this path.`, details: { allow } });
}

function namesIn(c: Exchange, isBatch: boolean): readonly string[] {
  const text = c.params.names ?? c.path.slice('/trpc/'.length);
  if (!isBatch) return [text];
  const names = text.split(',');
  const { batchCalls } = c.deps.settings.limits;
  if (names.length <= batchCalls) return names;
  throw fail('VALIDATION_ERROR', { message: `A batch can have at most ${batchCalls} calls. Send several batches.` });
}

function sentInput(c: Exchange, names: readonly string[]): string | undefined | Promise<string> {
  if (c.method === 'POST') return sentBody(c, names);
  const input = c.query('input');
  if (input !== undefined) scanJson(input, { maxDepth: JSON_DEPTH_MAX });
  return input === '' ? undefined : input;
}

async function sentBody(c: Exchange, names: readonly string[]): Promise<string> {
  requireCallers(c, names);
  const maxBytes = c.deps.settings.limits.jsonBodyBytes;
  const body = await readBody(c, { contentType: 'application/json', maxBytes });
  if (body !== '') scanJson(body, { maxDepth: JSON_DEPTH_MAX });
  return body;
}

/** Refuses anonymous callers before reading a body that they may not send. */
function requireCallers({ principal }: Exchange, names: readonly string[]): void {
  if (principal.kind !== 'anonymous') return;
  const needs = names
    .join()
    .split(',')
    .map((name) => (isProcedure(name) ? credentialFor(PROCEDURES[name].access) : undefined));
  const [first] = needs;
  if (first === undefined || needs.includes(undefined)) return;
  if (isScope(first)) requireCredential(principal, first);
  else requireAccount(principal);
}

const isProcedure = (name: string): name is ProcedureName => Object.hasOwn(PROCEDURES, name);

function credentialFor({ needs, open }: Access): Access['needs'] | undefined {
  if (isScope(needs)) return open === true ? undefined : needs;
  return needs === 'nothing' || needs === 'sight' ? undefined : needs;
}

/** A batch has an object with the input of each call under its number. */
function inputsOf(text: string | undefined, isBatch: boolean): (index: number) => unknown {
  let parsed: unknown;
  try {
    parsed = text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    throw fail('VALIDATION_ERROR', { message: `The call cannot be read: ${(error as Error).message}`, cause: error });
  }
  if (!isBatch) return () => parsed;
  if (parsed === undefined) return () => undefined;
  if (isJsonObject(parsed)) return (index) => parsed[index];
  throw fail('VALIDATION_ERROR', {
    message: 'The input of a batch must be an object with the input of each call by number.',
  });
}

interface Call extends RpcOptions {
  readonly context: Context;
  readonly name: string;
  readonly input: () => unknown;
}

function answerCall(c: Exchange, call: Call): CallAnswer | Promise<CallAnswer> {
  try {
    const made = runCall(c, call);
    if (!(made instanceof Promise)) return answerOf(call, made);
    return made.then((data) => answerOf(call, data)).catch((thrown: unknown) => refusalOf(c, call, thrown));
  } catch (thrown) {
    return refusalOf(c, call, thrown);
  }
}

function runCall(c: Exchange, { context, name, input }: Call): unknown {
  if (!isProcedure(name)) throw unknownProcedure();
  if (!QUERIES.has(name) && c.method !== 'POST') {
    throw fail('METHOD_NOT_ALLOWED', { message: 'Send queries by GET or POST, mutations by POST.' });
  }
  const procedure = PROCEDURES[name];
  const given = procedure.input.parse(input(), INPUT_WORDS);
  refuseComponent(context.principal, procedure.access);
  return OPERATIONS[name](context, given);
}

function answerOf({ name, checkOutput }: Call, made: unknown): CallAnswer {
  const data = checkOutput ? PROCEDURES[name as ProcedureName].output.parse(made) : made;
  return { status: 200, text: JSON.stringify({ result: { data } }) };
}

function refusalOf(c: Exchange, { name }: Call, thrown: unknown): CallAnswer {
  const error = toCairnError(thrown);
  logFault(c, error);
  const { status, retryAfter } = error;
  return { status, text: JSON.stringify({ error: trpcErrorShape(error, name) }), retryAfter };
}

function unknownProcedure() {
  return fail('NOT_FOUND', {
    message: 'This procedure does not exist. See /docs/reference/procedures for all procedures.',
  });
}
