// Limits per account for valid bearers, per address otherwise, and both for sign-in. All processes share the buckets.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import type { Logger } from 'pino';
import type { Principal } from '../access/principal.ts';
import { networkOf, type Rate, type UnusedPermits, type Usage } from '../access/usage.sql.ts';
import type { Visitor } from '../account/session.ts';
import type { Exchange } from './exchange.ts';

export interface Caller {
  readonly principal: Principal;
  readonly address: string | undefined;
  /** Anonymous budgets are separate, so that one client cannot lock others at its address out of sign-in. */
  readonly budget?: Budget;
}

export type Budget = 'data' | 'page' | 'sign-in';

interface SignInAttempt {
  readonly email: string;
  readonly address: string | undefined;
}

export interface RateLimiter {
  /** Counts a request if that needs no waiting. False if `admit` has to decide. */
  admitAtOnce(caller: Caller): boolean;
  /** Counts a request, or fails with RATE_LIMITED. Requests pass while the store is unavailable. */
  admit(caller: Caller): Promise<void>;
  /** Counts before the password is checked. Fails if the store is unavailable: no guess may go uncounted. */
  trySignIn(attempt: SignInAttempt): Promise<void>;
  signedIn(attempt: SignInAttempt): Promise<void>;
  askLink(address: string | undefined): Promise<void>;
  registerClient(address: string | undefined): Promise<void>;
  /** Returns `false` if the recipient had too many mails, or the store is unavailable. */
  mayMail(to: string): Promise<boolean>;
  close(): Promise<void>;
}

interface RateLimiterOptions {
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
  /** `undefined` for callers who are not limited. */
  const bucketOf = ({ principal, address, budget = 'data' }: Caller): Bucket | undefined => {
    if (principal.kind === 'anonymous') {
      if (anonymous.perHour === 0 || address === undefined) return undefined;
      const key = `${budget === 'data' ? '' : `${budget} `}address:${networkOf(address)}`;
      return { key, rate: anonymous, what: 'requests from this address' };
    }
    if (principals.perHour === 0) return undefined;
    const key = principal.kind === 'component' ? `component:${principal.tokenId}` : `account:${principal.accountId}`;
    return { key, rate: principals, what: 'requests by this account' };
  };
  return {
    admitAtOnce: (caller) => {
      const bucket = bucketOf(caller);
      return bucket === undefined || leases.takeAtOnce(bucket.key, bucket.rate);
    },
    admit: async (caller) => {
      const bucket = bucketOf(caller);
      const waitMs = bucket === undefined ? 0 : await leases.take(bucket.key, bucket.rate);
      if (bucket === undefined || waitMs === 0) return;
      const isAnonymous = caller.principal.kind === 'anonymous';
      throw tooMany(bucket.what, waitMs, isAnonymous ? 'or send a valid bearer token' : 'then continue more slowly');
    },
    trySignIn: async (attempt) => {
      const taken: Bucket[] = [];
      for (const bucket of signInBuckets(attempt)) {
        const waitMs = await takeOne(usage, bucket, now());
        if (waitMs > 0) {
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
  readonly what: string;
}

/** The address comes first: an address over its limit must not use up the attempts of an account. */
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

/** Hashed even when no account has this email: people may type a password here, and it must not be stored. */
function digest(email: string): string {
  return createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
}

async function takeOne(usage: Usage, { key, rate }: Bucket, now: number): Promise<number> {
  const { waitMs } = await usage.takePermits({ key, rate, wanted: 1, now }).catch((cause: unknown) => {
    const message = 'The server cannot count such attempts right now, so it refuses them. Try again in a moment.';
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

function reportOnce(log: Logger): (failure: unknown) => void {
  let failing = false;
  return (failure) => {
    if ((failure !== undefined) === failing) return;
    failing = failure !== undefined;
    if (failing) log.error({ err: failure }, 'Requests cannot be counted. Until they can, rate limits are off.');
    else log.info('Requests are counted again.');
  };
}

export function visitorOf(c: Exchange): Visitor {
  const { deps, address, requestId } = c;
  const throttle = {
    trySignIn: (email: string) => deps.limiter.trySignIn({ email, address }),
    signedIn: (email: string) => deps.limiter.signedIn({ email, address }),
  };
  return { address, requestId, throttle };
}

// A lease takes at most this part of a burst, so that little waits unused in one process.
const BLOCKS_A_BURST = 10;
const LEASES_MAX = 10_000;
const IDLE_MS = 5_000;
const RETURNED_A_STEP = 500;
// After a failure the store is not asked for a while, or every request would wait for a timeout.
const LEFT_ALONE_MS = 2_000;

interface Lease {
  readonly rate: Rate;
  permits: number;
  usedAt: number;
  emptyUntil: number;
  asking: Promise<boolean> | undefined;
}

interface LeaseOptions {
  readonly usage: Usage;
  readonly now: () => number;
  readonly onOutcome: (failure: unknown) => void;
}

export class PermitLeases {
  readonly #usage: Usage;
  readonly #now: () => number;
  readonly #onOutcome: (failure: unknown) => void;
  readonly #leases = new Map<string, Lease>();
  readonly #timer: NodeJS.Timeout;
  #returning: Promise<void> = Promise.resolve();
  #leftAloneUntil = 0;

  constructor({ usage, now, onOutcome }: LeaseOptions) {
    this.#usage = usage;
    this.#now = now;
    this.#onOutcome = onOutcome;
    this.#timer = setInterval(() => this.returnIdle(), IDLE_MS).unref();
  }

  /** Returns the milliseconds to wait: 0 if granted, or if the store is unavailable. */
  async take(key: string, rate: Rate): Promise<number> {
    const lease = this.#leaseOf(key, rate);
    while (lease.permits === 0) {
      const now = this.#now();
      if (lease.emptyUntil > now) return lease.emptyUntil - now;
      if (this.#leftAloneUntil > now) return 0;
      lease.asking ??= this.#ask(key, lease).finally(() => {
        lease.asking = undefined;
      });
      if (!(await lease.asking)) return 0;
    }
    lease.permits--;
    return 0;
  }

  takeAtOnce(key: string, rate: Rate): boolean {
    const lease = this.#leaseOf(key, rate);
    if (lease.permits === 0) return false;
    lease.permits--;
    return true;
  }

  get size(): number {
    return this.#leases.size;
  }

  returnIdle(usedUntil = this.#now() - IDLE_MS): Promise<void> {
    const unused = new Map<Rate, UnusedPermits[]>();
    for (const [key, { rate, permits, usedAt, asking }] of this.#leases) {
      if (usedAt > usedUntil) break;
      if (asking !== undefined) continue;
      this.#leases.delete(key);
      if (permits === 0) continue;
      const ofRate = unused.get(rate) ?? [];
      ofRate.push({ key, permits });
      unused.set(rate, ofRate);
    }
    this.#returning = this.#returning.then(() => this.#return(unused));
    return this.#returning;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#leases.values()].map(({ asking }) => asking));
    await this.returnIdle(Number.POSITIVE_INFINITY);
  }

  #leaseOf(key: string, rate: Rate): Lease {
    const usedAt = this.#now();
    const lease = this.#leases.get(key) ?? { rate, permits: 0, usedAt, emptyUntil: 0, asking: undefined };
    lease.usedAt = usedAt;
    this.#leases.delete(key);
    this.#leases.set(key, lease);
    if (this.#leases.size > LEASES_MAX) this.#forgetOldest();
    return lease;
  }

  /** Its permits are not returned: the bucket refills by time, and many keys must not cause many writes. */
  #forgetOldest(): void {
    for (const oldest of this.#leases.keys()) {
      this.#leases.delete(oldest);
      return;
    }
  }

  async #ask(key: string, lease: Lease): Promise<boolean> {
    const { rate } = lease;
    const wanted = Math.max(1, Math.floor(rate.burst / BLOCKS_A_BURST));
    try {
      const { granted, waitMs } = await this.#usage.takePermits({ key, rate, wanted, now: this.#now() });
      lease.permits += granted;
      lease.emptyUntil = granted > 0 ? 0 : this.#now() + waitMs;
      this.#onOutcome(undefined);
      return true;
    } catch (error) {
      this.#leftAloneUntil = this.#now() + LEFT_ALONE_MS;
      this.#onOutcome(error);
      return false;
    }
  }

  async #return(unused: ReadonlyMap<Rate, readonly UnusedPermits[]>): Promise<void> {
    for (const [rate, all] of unused) {
      for (let from = 0; from < all.length; from += RETURNED_A_STEP) {
        await this.#usage.returnPermits(rate, all.slice(from, from + RETURNED_A_STEP)).catch(this.#onOutcome);
        await setImmediate();
      }
    }
  }
}
