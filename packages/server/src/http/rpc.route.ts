// tRPC at /trpc: binds the procedure table of `protocol` to operations.

import { scanJson } from '@cairn/model/json-scan';
import { fail } from '@cairn/protocol/errors';
import { readInput } from '@cairn/protocol/input-words';
import { PROCEDURE_KINDS, type ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import { type Access, isScope } from '@cairn/protocol/scopes';
import { initTRPC } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { Context } from '../access/context.ts';
import { requireAccount, requireCredential } from '../access/principal.ts';
import { runProcedure } from '../procedures.ts';
import { answer, answerPreflight } from './answer.ts';
import { refuseComponent } from './arrival.ts';
import { readBody } from './body.ts';
import { type EdgeContext, operationContext, type RouteHandler } from './env.ts';
import { challenge, logFault, retryHeader, toCairnError, trpcErrorShape } from './error.ts';

const ENDPOINT = '/trpc';
// Record data may be 64 levels deep, inside four more levels. The exact depth is checked when the data is stored.
const JSON_DEPTH_MAX = 200;

/** Tests set `checkOutput`; production saves the time. */
export function createRpc({ checkOutput }: { checkOutput: boolean }): RouteHandler {
  const router = createRouter(checkOutput);
  return async (c) => {
    if (c.req.method === 'OPTIONS') return answerPreflight(c);
    const request = await checkedRequest(c);
    // The longest wait among the calls of a batch.
    let retryAfter: number | undefined;
    const made = await fetchRequestHandler({
      endpoint: ENDPOINT,
      req: request,
      router,
      createContext: () => operationContext(c),
      allowMethodOverride: true,
      maxBatchSize: c.get('deps').settings.limits.batchCalls,
      onError: ({ error }) => {
        const thrown = toCairnError(error);
        if (thrown.retryAfter !== undefined) retryAfter = Math.max(retryAfter ?? 0, thrown.retryAfter);
        logFault(c, thrown);
      },
    });
    const headers = {
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
      ...(made.status === 401 && challenge(c)),
      // tRPC refuses mutations by GET.
      ...(made.status === 405 && { allow: 'POST' }),
      ...retryHeader(retryAfter),
    };
    return answer(c, { status: made.status, body: await made.text(), contentType: 'application/json', headers });
  };
}

async function checkedRequest(c: EdgeContext): Promise<Request> {
  const { method } = c.req;
  if (method === 'GET' || method === 'HEAD') {
    const input = c.req.query('input');
    if (input !== undefined) scanJson(input, { maxDepth: JSON_DEPTH_MAX });
    return new Request(c.req.url);
  }
  if (method !== 'POST') {
    const allow = 'GET, HEAD, POST';
    throw fail('METHOD_NOT_ALLOWED', { message: `Use ${allow} on this path.`, details: { allow } });
  }
  requireCallers(c);
  const maxBytes = c.get('deps').settings.limits.jsonBodyBytes;
  const body = await readBody(c, { contentType: 'application/json', maxBytes });
  if (body !== '') scanJson(body, { maxDepth: JSON_DEPTH_MAX });
  return new Request(c.req.url, { method, headers: { 'content-type': 'application/json' }, body });
}

/** Refuses anonymous callers before reading a body that they may not send. */
function requireCallers(c: EdgeContext): void {
  const principal = c.get('principal');
  if (principal.kind !== 'anonymous') return;
  const names = new URL(c.req.url).pathname.slice(ENDPOINT.length + 1).split(/,|%2c/i);
  const needs = names.map((name) => (isProcedure(name) ? credentialFor(PROCEDURES[name].access) : undefined));
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

function createRouter(checkOutput: boolean) {
  const t = initTRPC.context<Context>().create({
    errorFormatter: ({ error, path }) => trpcErrorShape(toCairnError(error), path),
  });
  const nouns: Record<string, Record<string, ReturnType<typeof procedure>>> = {};
  const procedure = (name: ProcedureName) => {
    const { input, output } = PROCEDURES[name];
    const access: Access = PROCEDURES[name].access;
    const run = runProcedure as (context: Context, name: ProcedureName, input: unknown) => Promise<unknown>;
    const resolve = ({ ctx, input }: { ctx: Context; input: unknown }) => {
      refuseComponent(ctx.principal, access);
      return run(ctx, name, input);
    };
    const checked = t.procedure.input((sent: unknown) => readInput(input, sent));
    const built = checkOutput ? checked.output(output) : checked;
    // The loop over names loses the types that `Operations` has checked.
    const make = built[PROCEDURE_KINDS[name]] as (resolver: typeof resolve) => ReturnType<typeof t.procedure.query>;
    return make(resolve);
  };
  for (const name of PROCEDURE_NAMES) {
    const [noun = '', verb = ''] = name.split('.');
    nouns[noun] = { ...nouns[noun], [verb]: procedure(name) };
  }
  return t.router(nouns);
}
