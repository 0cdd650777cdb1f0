// How often a caller may come: by address without a valid bearer, by account with one, and both for attempts to sign in.
// The limits hold for all processes of a server together (access/usage.sql.ts).
import { createHash } from 'node:crypto';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import type { Logger } from 'pino';
import { networkOf } from '../access/network.rule.ts';
import type { Principal } from '../access/principal.ts';
import type { Rate, Usage } from '../access/usage.sql.ts';
import type { Visitor } from '../account/sign-in.ts';
import type { EdgeContext } from './env.ts';
import { PermitLeases } from './permit-lease.ts';

export interface Caller {
  readonly principal: Principal;
  /** `undefined` when the request came through no socket; then there is nobody to limit by address. */
  readonly address: string | undefined;
  /** Anonymous requests have separate budgets, so that one client cannot lock others behind the same address out of sign-in. */
  readonly budget?: Budget;
}

export type Budget = 'data' | 'page' | 'sign-in';

export interface SignInAttempt {
  readonly email: string;
  readonly address: string | undefined;
}

export interface RateLimiter {
  /** Counts a request, or fails with RATE_LIMITED. While the store does not answer, requests pass. */
  admit(caller: Caller): Promise<void>;
  /**
   * Counts an attempt to sign in, before the password is looked at, or fails with RATE_LIMITED. While the store does not
   * answer, it fails with UNAVAILABLE: nobody may guess passwords without being counted.
   */
  trySignIn(attempt: SignInAttempt): Promise<void>;
  /** The attempt was a good one, so it does not count. */
  signedIn(attempt: SignInAttempt): Promise<void>;
  /** Counts a link or an account that a stranger asks for, or fails as attempts to sign in do. */
  askLink(address: string | undefined): Promise<void>;
  /** Counts a client that registers itself, or fails in the same way. */
  registerClient(address: string | undefined): Promise<void>;
  /** Counts a mail, unless its recipient had too many. While the store does not answer, none is sent. */
  mayMail(to: string): Promise<boolean>;
  /** Gives back what was leased. */
  close(): Promise<void>;
}

export interface RateLimiterOptions {
  readonly usage: Usage;
  readonly limits: Limits;
  readonly log: Logger;
  readonly now?: () => number;
}

export function createRateLimiter({ usage, limits, log, now = Date.now }: RateLimiterOptions): RateLimiter {
  const onOutcome = reportOnce(log);
  const leases = new PermitLeases({ usage, now, onOutcome });
  const anonymous = { perHour: limits.anonymousRequestsPerHour, burst: limits.anonymousBurst };
  const principals = { perHour: limits.principalRequestsPerHour, burst: limits.principalBurst };
  const links = { perHour: limits.addressLinksPerHour, burst: limits.addressLinkBurst };
  const clients = { perHour: limits.addressClientsPerHour, burst: limits.addressClientBurst };
  const signInBuckets = signInBucketsBy(limits);
  const takeForAddress = async (address: string | undefined, kind: 'link' | 'client', rate: Rate) => {
    if (address === undefined) return;
    const what = 'requests of this kind from this address';
    const waitMs = await takeOne(usage, { key: `${kind} address:${networkOf(address)}`, rate, what }, now());
    if (waitMs > 0) throw tooMany(what, waitMs, 'then try again');
  };
  return {
    admit: async ({ principal, address, budget = 'data' }) => {
      if (principal.kind === 'anonymous') {
        if (anonymous.perHour === 0 || address === undefined) return;
        const key = `${budget === 'data' ? '' : `${budget} `}address:${networkOf(address)}`;
        const waitMs = await leases.take(key, anonymous);
        if (waitMs > 0) throw tooMany('requests from this address', waitMs, 'or send a valid bearer token');
      } else if (principals.perHour > 0) {
        const key =
          principal.kind === 'component' ? `component:${principal.tokenId}` : `account:${principal.accountId}`;
        const waitMs = await leases.take(key, principals);
        if (waitMs > 0) throw tooMany('requests by this account', waitMs, 'then go on more slowly');
      }
    },
    trySignIn: async (attempt) => {
      const taken: Bucket[] = [];
      for (const bucket of signInBuckets(attempt)) {
        const waitMs = await takeOne(usage, bucket, now());
        if (waitMs > 0) {
          // The attempt is not made, so it does not count elsewhere.
          await returnOne(usage, taken).catch(onOutcome);
          throw tooMany(bucket.what, waitMs, 'then try again');
        }
        taken.push(bucket);
      }
    },
    signedIn: (attempt) => returnOne(usage, signInBuckets(attempt)).catch(onOutcome),
    askLink: (address) => takeForAddress(address, 'link', links),
    registerClient: (address) => takeForAddress(address, 'client', clients),
    mayMail: async (to) => {
      const rate = { perHour: limits.recipientMailsPerHour, burst: limits.recipientMailBurst };
      return (await takeOne(usage, { key: `mail to:${digest(to)}`, rate, what: 'mails' }, now())) === 0;
    },
    close: () => leases.close(),
  };
}

interface Bucket {
  readonly key: string;
  readonly rate: Rate;
  /** What there are too many of. */
  readonly what: string;
}

/** The address first: one that has tried too often must not use up the attempts of an account. */
function signInBucketsBy(limits: Limits): (attempt: SignInAttempt) => Bucket[] {
  const byAddress = { perHour: limits.addressSignInsPerHour, burst: limits.addressSignInBurst };
  const byAccount = { perHour: limits.accountSignInsPerHour, burst: limits.accountSignInBurst };
  return ({ email, address }) => [
    ...(address === undefined
      ? []
      : [
          {
            key: `sign-in address:${networkOf(address)}`,
            rate: byAddress,
            what: 'attempts to sign in from this address',
          },
        ]),
    { key: `sign-in account:${digest(email)}`, rate: byAccount, what: 'attempts to sign in to this account' },
  ];
}

/** Also of addresses that no account has: what people type may be a password, and is not to be kept. */
function digest(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
}

async function takeOne(usage: Usage, { key, rate }: Bucket, now: number): Promise<number> {
  const { waitMs } = await usage.takePermits({ key, rate, wanted: 1, now }).catch((cause: unknown) => {
    const message = 'Attempts like this cannot be counted right now, so none is made. Try again in a moment.';
    throw fail('UNAVAILABLE', { message, retryAfter: 5, cause });
  });
  return waitMs;
}

async function returnOne(usage: Usage, buckets: readonly Bucket[]): Promise<void> {
  for (const { key, rate } of buckets) await usage.returnPermits(rate, [{ key, permits: 1 }]);
}

function tooMany(what: string, waitMs: number, next: string): CairnError {
  const retryAfter = Math.ceil(waitMs / 1_000);
  const seconds = retryAfter === 1 ? 'a second' : `${retryAfter} seconds`;
  return fail('RATE_LIMITED', { message: `Too many ${what}. Wait ${seconds}, ${next}.`, retryAfter });
}

/** One line when the store stops answering and one when it answers again, not one for each request. */
function reportOnce(log: Logger): (failure: unknown) => void {
  let failing = false;
  return (failure) => {
    if ((failure !== undefined) === failing) return;
    failing = failure !== undefined;
    if (failing) log.error({ err: failure }, 'Requests cannot be counted; until they can, rate limits let them pass.');
    else log.info('Requests are counted again.');
  };
}

/** Whose attempts to sign in count for the address that they come from, and for the account that they name. */
export function visitorOf(c: EdgeContext): Visitor {
  const { deps, address, requestId } = c.var;
  const throttle = {
    trySignIn: (email: string) => deps.limiter.trySignIn({ email, address }),
    signedIn: (email: string) => deps.limiter.signedIn({ email, address }),
  };
  return { address, requestId, throttle };
}
