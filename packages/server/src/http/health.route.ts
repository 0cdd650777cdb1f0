import { fail } from '@cairn/protocol/errors';
import { diskFaultIn, readiness } from '../admin/diagnostics.ts';
import { answerJson } from './answer.ts';
import type { RouteHandler } from './env.ts';

const headers = { 'cache-control': 'no-store' };

export const live: RouteHandler = (c) => answerJson(c, { status: 'live' }, { headers });

export const ready: RouteHandler = async (c) => {
  const answer = await readiness(c.var.deps.store).catch((cause: unknown) => {
    if (diskFaultIn(cause) !== undefined) throw cause;
    throw fail('UNAVAILABLE', { message: 'The database does not answer. See the log.', retryAfter: 5, cause });
  });
  return answerJson(c, answer, { headers });
};
