import { createHash, timingSafeEqual } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { readiness } from '../admin/diagnostics.ts';
import { diskFaultIn } from '../engine/disk-fault.ts';
import { answer, answerJson } from './answer.ts';
import { unknownPathError } from './error.ts';
import type { Exchange, RouteHandler } from './exchange.ts';
import { METRICS_CONTENT_TYPE } from './metrics.ts';

const headers = { 'cache-control': 'no-store' };

export const live: RouteHandler = (c) => answerJson(c, { status: 'live' }, { headers });

export const ready: RouteHandler = async (c) => {
  const answer = await readiness(c.deps.store).catch((cause: unknown) => {
    if (diskFaultIn(cause) !== undefined) throw cause;
    throw fail('UNAVAILABLE', { message: 'The database does not answer. See the log.', retryAfter: 5, cause });
  });
  return answerJson(c, answer, { headers });
};

export const metrics: RouteHandler = async (c) => {
  const { settings, metrics } = c.deps;
  if (settings.metricsToken === undefined) throw unknownPathError();
  const given = c.header('authorization') ?? '';
  if (!isSameSecret(given, `Bearer ${settings.metricsToken}`)) {
    throw fail('UNAUTHENTICATED', { message: 'Send the token of CAIRN_METRICS_TOKEN as a bearer token.' });
  }
  return answer(c, { body: await metrics.render(), contentType: METRICS_CONTENT_TYPE });
};

/** Compares digests, so that timing reveals neither length nor content. */
function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

const PAGE_WITH_SLASH = /^(\/docs(?:\/[\w.-]+)*)\/$/;

export const nothingHere: RouteHandler = () => {
  throw unknownPathError();
};

interface PagesOf {
  readonly isPage: (c: Exchange) => boolean;
  readonly pageInSmall: (c: Exchange) => string | undefined;
  readonly index: RouteHandler;
}

export const createUnknownPath =
  (explorer: PagesOf): RouteHandler =>
  (c) => {
    if (explorer.isPage(c)) return explorer.index(c);
    const [, withoutSlash] = PAGE_WITH_SLASH.exec(c.path) ?? [];
    const location = explorer.pageInSmall(c) ?? withoutSlash;
    if (location === undefined || !['GET', 'HEAD'].includes(c.method)) return nothingHere(c);
    return answer(c, { status: 308, body: null, headers: { location } });
  };
