import { createHash, timingSafeEqual } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { answer } from './answer.ts';
import type { RouteHandler } from './env.ts';
import { unknownPathError } from './error.ts';
import { METRICS_CONTENT_TYPE } from './metrics.ts';

export const metrics: RouteHandler = async (c) => {
  const { settings, metrics } = c.var.deps;
  if (settings.metricsToken === undefined) throw unknownPathError();
  const given = c.req.header('authorization') ?? '';
  if (!isSameSecret(given, `Bearer ${settings.metricsToken}`)) {
    throw fail('UNAUTHENTICATED', { message: 'Send the token of CAIRN_METRICS_TOKEN as a bearer token.' });
  }
  return answer(c, { body: await metrics.render(), contentType: METRICS_CONTENT_TYPE });
};

/** Compares digests, so that the time taken tells neither length nor content. */
function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
