import { QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { createQueryClient } from './queries.ts';

function watched() {
  const client = createQueryClient();
  let now = 'before';
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['count'],
    queryFn: () => {
      const then = now;
      return new Promise<string>((resolve) => answers.push(() => resolve(then)));
    },
  });
  observer.subscribe(() => undefined);
  const answer = async (at: number) => {
    await expect.poll(() => answers.length).toBeGreaterThan(at);
    answers[at]?.();
  };
  return { client, answer, write: (text: string) => (now = text), asked: () => answers.length, observer };
}

describe('what is asked for again', () => {
  it('while its first answer is under way, is asked for again after that', async () => {
    const { client, answer, write, observer } = watched();
    write('after');
    const isFresh = client.invalidateQueries();
    await answer(0);
    await answer(1);
    await isFresh;
    expect(observer.getCurrentResult().data).toBe('after');
  });

  it('again and again is there though it is never waited for', async () => {
    const { client, answer, write, asked, observer } = watched();
    const fresh: Promise<void>[] = [];
    for (const text of ['first', 'second', 'third']) {
      write(text);
      fresh.push(client.invalidateQueries({}, { cancelRefetch: false }));
    }
    await answer(0);
    await expect.poll(() => observer.getCurrentResult().data).toBe('before');
    await answer(1);
    await Promise.all(fresh);
    expect(observer.getCurrentResult().data).toBe('third');
    expect(asked()).toBe(2);
  });
});
