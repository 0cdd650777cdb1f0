import { describe, expect, it } from 'vitest';
import { type IssuedToken, SessionTokens } from './session.ts';

const HOUR_MS = 3_600_000;

const tokenOf = (sub: string, turn: number, livesMs = HOUR_MS): IssuedToken => ({
  accessToken: `head.${btoa(JSON.stringify({ sub, turn }))}.signature`,
  expiresAt: Date.now() + livesMs,
});

function open(...answers: (IssuedToken | Error | undefined)[]) {
  let asked = 0;
  const tokens = new SessionTokens(async () => {
    const answer = answers[asked++];
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const many = (refused?: string) => Promise.allSettled([1, 2, 3].map(() => tokens.get(refused)));
  return { tokens, many, asked: () => asked };
}

const values = (settled: PromiseSettledResult<unknown>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message));

describe('tokens of a session', () => {
  it('are asked for once by all calls that wait, at first and when one is over or refused', async () => {
    const [first, second, third] = [tokenOf('ada', 1, 1_000), tokenOf('ada', 2), tokenOf('ada', 3)];
    const { tokens, many, asked } = open(first, second, third);
    expect(values(await many())).toEqual(Array(3).fill(second.accessToken));
    expect(asked()).toBe(2);
    expect(values(await many(second.accessToken))).toEqual(Array(3).fill(third.accessToken));
    expect(asked()).toBe(3);
    expect(await tokens.get(second.accessToken)).toBe(third.accessToken);
    expect(asked()).toBe(3);
  });

  it('fail for all calls that wait once the session has ended, and go on when it is back', async () => {
    const [first, second] = [tokenOf('ada', 1), tokenOf('ada', 2)];
    const { tokens, many, asked } = open(first, undefined, second);
    let told = 0;
    tokens.subscribe(() => told++);
    await tokens.get();
    expect(values(await many(first.accessToken))).toEqual(Array(3).fill(expect.stringContaining('You are signed out')));
    expect([asked(), told, tokens.session()]).toEqual([2, 1, { isEnded: true, turn: 0 }]);
    expect(values(await many())).toEqual(Array(3).fill(second.accessToken));
    expect([asked(), told, tokens.session()]).toEqual([3, 2, { isEnded: false, turn: 1 }]);
  });

  it('of somebody else serve none of the calls that wait', async () => {
    const [first, other] = [tokenOf('ada', 1), tokenOf('bob', 1)];
    const { tokens, many } = open(first, other);
    await tokens.get();
    expect(values(await many(first.accessToken))).toEqual(Array(3).fill(expect.stringContaining('another account')));
    expect(tokens.session()).toEqual({ isEnded: false, turn: 1 });
    expect(await tokens.get()).toBe(other.accessToken);
  });

  it('are asked for again after the server could not be reached', async () => {
    const [first, second] = [tokenOf('ada', 1), tokenOf('ada', 2)];
    const { tokens, many } = open(first, new Error('no network'), second);
    await tokens.get();
    expect(values(await many(first.accessToken))).toEqual(Array(3).fill('no network'));
    expect(await tokens.get(first.accessToken)).toBe(second.accessToken);
  });
});
