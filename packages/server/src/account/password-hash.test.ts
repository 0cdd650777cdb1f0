import { describe, expect, it } from 'vitest';
import type * as Password from './password-hash.ts';

// A separate module instance, because other tests lower the cost in the server's.
const AS_IT_IS = './password-hash.ts?as-it-is';
const { BoundedQueue, hashPassword, NOBODYS_HASH, verifyPassword }: typeof Password = await import(AS_IT_IS);

it('keeps passwords as argon2id, each with its own salt', async () => {
  const [first, second] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
  expect(first).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$/);
  expect(first).not.toBe(second);
  expect(await verifyPassword('correct horse', first)).toBe(true);
  expect(await verifyPassword('correct horse ', first)).toBe(false);
  expect(await verifyPassword('', first)).toBe(false);
});

it('holds an unknown account against a hash of the present cost, which nobody has the password of', async () => {
  const present = (await hashPassword('any')).split('$').slice(0, 4);
  expect(NOBODYS_HASH.split('$').slice(0, 4)).toEqual(present);
  expect(await verifyPassword('', NOBODYS_HASH)).toBe(false);
});

describe('a bounded queue', () => {
  const open = () => {
    const queue = new BoundedQueue({ atOnceMax: 2, waitingMax: 2 });
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const start = (n: number) =>
      queue.run(async () => {
        begun.push(n);
        await new Promise<void>((end) => ends.push(end));
        return n;
      });
    return { queue, ends, begun, start };
  };
  const turn = () => new Promise((done) => setImmediate(done));

  it('does so much at once, lets so much wait in order, and refuses the rest', async () => {
    const { ends, begun, start } = open();
    const running = [1, 2, 3, 4].map(start);
    await expect(start(5)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5 });
    expect(begun).toEqual([1, 2]);
    ends[0]?.();
    await turn();
    expect(begun).toEqual([1, 2, 3]);
    const sixth = start(6);
    for (const n of [1, 2, 3, 4]) {
      await turn();
      ends[n]?.();
    }
    expect(await Promise.all([...running, sixth])).toEqual([1, 2, 3, 4, 6]);
  });

  it('goes on after work that fails', async () => {
    const { queue, ends, start } = open();
    const failing = Array.from({ length: 4 }, () => queue.run(() => Promise.reject(new Error('broken'))));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    const both = [start(1), start(2)];
    await turn();
    for (const end of ends) end();
    expect(await Promise.all(both)).toEqual([1, 2]);
  });
});
