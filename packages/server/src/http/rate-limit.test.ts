import { DEFAULT_LIMITS, type Limits } from '@cairn/protocol/limits';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestStore, testLocation, UPPER_ENGINES } from '../../../../test/support/store.ts';
import { ANONYMOUS, type Principal } from '../access/principal.ts';
import type { PermitRequest, Usage } from '../access/usage.sql.ts';
import type { Engine } from '../engine/database.ts';
import { openStore } from '../store.ts';
import { createRateLimiter, PermitLeases, type RateLimiter } from './rate-limit.ts';

const NOW = 1_800_000_000_000;
const SECOND_MS = 1_000;
const ADDRESS = '198.51.100.1';
const LIMITS: Limits = { ...DEFAULT_LIMITS, anonymousRequestsPerHour: 3_600, anonymousBurst: 100 };

function observed(usage: Usage) {
  const seen = { asked: [] as PermitRequest[], broken: false };
  const answer = <Result>(work: () => Promise<Result>) =>
    seen.broken ? Promise.reject(new Error('unplugged')) : work();
  const observing: Usage = {
    ...usage,
    takePermits: (request) => {
      seen.asked.push(request);
      return answer(() => usage.takePermits(request));
    },
    returnPermits: (rate, unused) => answer(() => usage.returnPermits(rate, unused)),
  };
  return { seen, usage: observing };
}

async function limiterOn(engine: Engine, limits: Partial<Limits> = {}) {
  const clock = { now: NOW };
  const { usage, seen } = observed((await openTestStore(engine)).usage);
  const logged: { level: number; msg: string }[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const limiter = createRateLimiter({ usage, limits: { ...LIMITS, ...limits }, log, now: () => clock.now });
  onTestFinished(() => limiter.close());
  return { limiter, clock, seen, logged };
}

async function passing(attempts: Promise<void>[]): Promise<number> {
  const settled = await Promise.allSettled(attempts);
  const codes = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(new Set(codes)).toEqual(new Set(codes.length > 0 ? ['RATE_LIMITED'] : []));
  return settled.length - codes.length;
}

function passes(attempt: () => Promise<void>, times: number): Promise<number> {
  return passing(Array.from({ length: times }, attempt));
}

const from = (address: string | undefined) => ({ principal: ANONYMOUS, address });
const account = (accountId: number, tokenId: number) =>
  ({ kind: 'token', accountId, tokenId, tokenName: 'all', handle: 'ada' }) as Principal;

describe.each(UPPER_ENGINES)('requests on %s', (engine) => {
  it('of one address pass up to the burst, then as fast as the rate', async () => {
    const { limiter, clock } = await limiterOn(engine);
    expect(await passes(() => limiter.admit(from(ADDRESS)), 150)).toBe(100);
    await expect(limiter.admit(from(ADDRESS))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfter: 1,
      message: 'Too many requests from this address. Wait a second, or send a valid bearer token.',
    });
    expect(await passes(() => limiter.admit(from('198.51.100.2')), 1)).toBe(1);
    clock.now += 3 * SECOND_MS;
    expect(await passes(() => limiter.admit(from(ADDRESS)), 10)).toBe(3);
  });

  it('are counted in blocks, and a refusal is remembered until it is over', async () => {
    const { limiter, clock, seen } = await limiterOn(engine);
    for (let n = 0; n < 100; n++) await limiter.admit(from(ADDRESS));
    expect(seen.asked.length).toBe(10);
    expect(await passes(() => limiter.admit(from(ADDRESS)), 100)).toBe(0);
    expect(seen.asked.length).toBe(11);
    clock.now += SECOND_MS - 1;
    expect(await passes(() => limiter.admit(from(ADDRESS)), 100)).toBe(0);
    expect(seen.asked.length).toBe(11);
    clock.now += 1;
    expect(await passes(() => limiter.admit(from(ADDRESS)), 100)).toBe(1);
  });

  it('through two processes together never pass more often than the bucket allows', async () => {
    const location = await testLocation(engine);
    const limiters: RateLimiter[] = [];
    for (let n = 0; n < 2; n++) {
      const store = await openStore(location);
      const limiter = createRateLimiter({
        usage: store.usage,
        limits: LIMITS,
        log: pino({ level: 'silent' }),
        now: () => NOW,
      });
      onTestFinished(async () => {
        await limiter.close();
        await store.close();
      });
      limiters.push(limiter);
    }
    const attempts = Array.from({ length: 90 }, () => limiters.map((limiter) => limiter.admit(from(ADDRESS)))).flat();
    expect(await passing(attempts)).toBe(100);
  });

  it('of one IPv6 network count together', async () => {
    const { limiter } = await limiterOn(engine, { anonymousBurst: 2 });
    for (const address of ['2001:db8::1', '2001:db8::ffff:2']) await limiter.admit(from(address));
    await expect(limiter.admit(from('2001:db8::3'))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await limiter.admit(from('2001:db8:0:1::1'));
  });

  it('of one account count together, if there is a limit at all', async () => {
    const { limiter } = await limiterOn(engine, { principalRequestsPerHour: 1, principalBurst: 2, anonymousBurst: 1 });
    await limiter.admit({ principal: account(1, 1), address: ADDRESS });
    await limiter.admit({ principal: account(1, 2), address: '198.51.100.2' });
    await expect(limiter.admit({ principal: account(1, 3), address: undefined })).rejects.toMatchObject({
      retryAfter: 3_600,
      message: 'Too many requests by this account. Wait 3600 seconds, then continue more slowly.',
    });
    await limiter.admit({ principal: account(2, 4), address: ADDRESS });
  });

  it('without a limit, or without an address, pass and cost nothing', async () => {
    const { limiter, seen } = await limiterOn(engine, { anonymousRequestsPerHour: 0 });
    expect(await passes(() => limiter.admit(from(ADDRESS)), 600)).toBe(600);
    expect(await passes(() => limiter.admit({ principal: account(1, 1), address: ADDRESS }), 600)).toBe(600);
    const limited = await limiterOn(engine);
    expect(await passes(() => limited.limiter.admit(from(undefined)), 600)).toBe(600);
    expect([...seen.asked, ...limited.seen.asked]).toEqual([]);
  });

  it('pass while the store does not answer, which is logged once', async () => {
    const { limiter, clock, seen, logged } = await limiterOn(engine, { anonymousBurst: 1 });
    seen.broken = true;
    expect(await passes(() => limiter.admit(from(ADDRESS)), 50)).toBe(50);
    expect(await passes(() => limiter.admit(from('198.51.100.2')), 50)).toBe(50);
    expect(seen.asked.length).toBe(1);
    clock.now += 10 * SECOND_MS;
    expect(await passes(() => limiter.admit(from(ADDRESS)), 50)).toBe(50);
    expect(seen.asked.length).toBe(2);
    seen.broken = false;
    clock.now += 10 * SECOND_MS;
    expect(await passes(() => limiter.admit(from(ADDRESS)), 50)).toBe(1);
    expect(logged.map(({ level }) => level)).toEqual([50, 30]);
  });
});

describe.each(UPPER_ENGINES)('leased permits on %s', (engine) => {
  const rate = { perHour: 1, burst: 100 };

  async function leasesOn() {
    const clock = { now: NOW };
    const { usage } = await openTestStore(engine);
    const leases = new PermitLeases({ usage, now: () => clock.now, onOutcome: () => {} });
    onTestFinished(() => leases.close());
    const left = async (key: string) => {
      const { granted } = await usage.takePermits({ key, rate, wanted: 1_000, now: NOW });
      await usage.returnPermits(rate, [{ key, permits: granted }]);
      return granted;
    };
    return { leases, clock, left };
  }

  it('go back when nobody has needed them for some seconds', async () => {
    const { leases, clock, left } = await leasesOn();
    await leases.take('idle', rate);
    await leases.take('busy', rate);
    expect([await left('idle'), await left('busy')]).toEqual([90, 90]);
    clock.now += 4 * SECOND_MS;
    await leases.take('busy', rate);
    clock.now += 3 * SECOND_MS;
    await leases.returnIdle();
    expect([await left('idle'), await left('busy')]).toEqual([99, 90]);
    expect(leases.size).toBe(1);
  });

  it('go back when the server stops', async () => {
    const { leases, left } = await leasesOn();
    await leases.take('a', rate);
    await leases.take('b', { ...rate });
    await leases.close();
    expect([await left('a'), await left('b')]).toEqual([99, 99]);
  });

  it('are held for so many keys and no more', async () => {
    const { leases } = await leasesOn();
    const keys = Array.from({ length: 10_050 }, (_, n) => `key ${n}`);
    await Promise.all(keys.map((key) => leases.take(key, rate)));
    expect(leases.size).toBe(10_000);
  });
});

describe.each(UPPER_ENGINES)('attempts to sign in on %s', (engine) => {
  const limits = {
    ...{ accountSignInsPerHour: 60, accountSignInBurst: 3 },
    ...{ addressSignInsPerHour: 60, addressSignInBurst: 5 },
  };
  const email = 'ada@example.com';
  const addressNo = (n: number) => `198.51.100.${n}`;

  it('are limited for one account, from wherever they come', async () => {
    const { limiter, clock } = await limiterOn(engine, limits);
    for (let n = 0; n < 3; n++) await limiter.trySignIn({ email, address: addressNo(n) });
    const spelt = { email: ' ADA@example.com', address: addressNo(9) };
    await expect(limiter.trySignIn(spelt)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfter: 60,
      message: 'Too many attempts to sign in to this account. Wait 60 seconds, then try again.',
    });
    await limiter.trySignIn({ email: 'bob@example.com', address: addressNo(9) });
    clock.now += 60 * SECOND_MS;
    await limiter.trySignIn(spelt);
  });

  it('are limited for one address, whatever the account, and then cost the account nothing', async () => {
    const { limiter } = await limiterOn(engine, limits);
    for (let n = 0; n < 5; n++) await limiter.trySignIn({ email: `u${n}@example.com`, address: ADDRESS });
    for (let n = 0; n < 9; n++) {
      await expect(limiter.trySignIn({ email, address: ADDRESS })).rejects.toMatchObject({
        message: 'Too many attempts to sign in from this address. Wait 60 seconds, then try again.',
      });
    }
    expect(await passes(() => limiter.trySignIn({ email, address: addressNo(2) }), 4)).toBe(3);
  });

  it('that are refused because of the account cost the address nothing', async () => {
    const { limiter } = await limiterOn(engine, limits);
    for (let n = 0; n < 3; n++) await limiter.trySignIn({ email, address: addressNo(2) });
    for (let n = 0; n < 9; n++)
      await expect(limiter.trySignIn({ email, address: ADDRESS })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const others = Array.from({ length: 6 }, (_, n) => ({ email: `u${n}@example.com`, address: ADDRESS }));
    expect(await passing(others.map((other) => limiter.trySignIn(other)))).toBe(5);
  });

  it('that succeed do not count', async () => {
    const { limiter } = await limiterOn(engine, limits);
    const attempt = { email, address: ADDRESS };
    for (let n = 0; n < 20; n++) {
      await limiter.trySignIn(attempt);
      await limiter.signedIn(attempt);
    }
    expect(await passes(() => limiter.trySignIn(attempt), 10)).toBe(3);
  });

  it('are counted for the account when there is no address', async () => {
    const { limiter } = await limiterOn(engine, limits);
    expect(await passes(() => limiter.trySignIn({ email, address: undefined }), 10)).toBe(3);
  });

  it('are refused while they cannot be counted, and one that succeeded stands', async () => {
    const { limiter, seen } = await limiterOn(engine, limits);
    const attempt = { email, address: ADDRESS };
    await limiter.trySignIn(attempt);
    seen.broken = true;
    await expect(limiter.trySignIn(attempt)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5 });
    await limiter.signedIn(attempt);
  });

  it('leave no email address behind', async () => {
    const { limiter, seen } = await limiterOn(engine, limits);
    await limiter.trySignIn({ email, address: ADDRESS });
    expect(seen.asked).toHaveLength(2);
    expect(JSON.stringify(seen.asked)).not.toMatch(/ada|example/);
  });
});

describe.each(UPPER_ENGINES)('links that strangers ask for on %s', (engine) => {
  it('are limited for one address', async () => {
    const { limiter, clock } = await limiterOn(engine, { addressLinksPerHour: 60, addressLinkBurst: 2 });
    expect(await passes(() => limiter.askLink(ADDRESS), 5)).toBe(2);
    await expect(limiter.askLink(ADDRESS)).rejects.toMatchObject({
      message: 'Too many requests of this kind from this address. Wait 60 seconds, then try again.',
    });
    expect(await passes(() => limiter.askLink('198.51.100.2'), 1)).toBe(1);
    clock.now += 60 * SECOND_MS;
    expect(await passes(() => limiter.askLink(ADDRESS), 2)).toBe(1);
  });

  it('are mailed to one recipient only so often, however the address is spelt, and not while that cannot be counted', async () => {
    const { limiter, seen } = await limiterOn(engine, { recipientMailsPerHour: 60, recipientMailBurst: 2 });
    const asked = ['ada@example.com', 'ADA@example.com', ' ada@Example.com', 'bob@example.com'];
    const answers = [];
    for (const to of asked) answers.push(await limiter.mayMail(to));
    expect(answers).toEqual([true, true, false, true]);
    expect(JSON.stringify(seen.asked)).not.toMatch(/ada|example/);
    seen.broken = true;
    await expect(limiter.mayMail('eve@example.com')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
