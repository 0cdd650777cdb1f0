// tRPC at /trpc: the procedure table of `protocol`, each name bound to the operation that does it.

import { PROCEDURE_KINDS, type ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES, type ProcedureInput, type ProcedureOutput } from '@cairn/protocol/procedures';
import { initTRPC } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { whoami } from '../operations/auth.ts';
import type { Context } from '../operations/context.ts';
import { capabilities } from '../operations/diagnostics.ts';
import { getRepo } from '../operations/repo.ts';
import { answer } from './edge/answer.ts';
import { readBody } from './edge/body.ts';
import { type EdgeContext, operationContext, type RouteHandler } from './edge/env.ts';
import { logFault, toCairnError, trpcErrorShape } from './edge/error.ts';

type Operations = {
  readonly [Name in ProcedureName]: (context: Context, input: ProcedureInput<Name>) => Promise<ProcedureOutput<Name>>;
};

const OPERATIONS: Operations = {
  'auth.whoami': whoami,
  'repo.get': getRepo,
  'diagnostics.capabilities': capabilities,
};

const ENDPOINT = '/trpc';

/** Built once at start. `checkOutput` holds every answer against the table; tests do, production saves the time. */
export function createRpc({ checkOutput }: { checkOutput: boolean }): RouteHandler {
  const router = createRouter(checkOutput);
  return async (c) => {
    const request = await withinLimits(c);
    const made = await fetchRequestHandler({
      endpoint: ENDPOINT,
      req: request,
      router,
      createContext: () => operationContext(c),
      allowMethodOverride: true,
      maxBatchSize: c.var.deps.settings.limits.batchCalls,
      onError: ({ error }) => logFault(c, toCairnError(error)),
    });
    const headers = { 'cache-control': 'private, no-cache', vary: 'Authorization' };
    return answer(c, { status: made.status, body: await made.text(), contentType: 'application/json', headers });
  };
}

async function withinLimits(c: EdgeContext): Promise<Request> {
  if (c.req.method !== 'POST') return c.req.raw;
  const body = await readBody(c, {
    contentType: 'application/json',
    maxBytes: c.var.deps.settings.limits.jsonBodyBytes,
  });
  return new Request(c.req.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

function createRouter(checkOutput: boolean) {
  const t = initTRPC.context<Context>().create({
    errorFormatter: ({ error, path }) => trpcErrorShape(toCairnError(error), path),
  });
  const nouns: Record<string, Record<string, ReturnType<typeof procedure>>> = {};
  const procedure = (name: ProcedureName) => {
    const { input, output } = PROCEDURES[name];
    const operation = OPERATIONS[name] as (context: Context, input: unknown) => Promise<unknown>;
    const resolve = ({ ctx, input }: { ctx: Context; input: unknown }) => operation(ctx, input);
    const checked = t.procedure.input(input);
    const built = checkOutput ? checked.output(output) : checked;
    // The table is typed by `Operations`; here, where names are looped over, the types have met already.
    const make = built[PROCEDURE_KINDS[name]] as (resolver: typeof resolve) => ReturnType<typeof t.procedure.query>;
    return make(resolve);
  };
  for (const name of PROCEDURE_NAMES) {
    const [noun = '', verb = ''] = name.split('.');
    nouns[noun] = { ...nouns[noun], [verb]: procedure(name) };
  }
  return t.router(nouns);
}
