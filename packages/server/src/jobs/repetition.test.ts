import { expect, it } from 'vitest';
import { repeat } from './repetition.ts';

it('runs at once and again, never twice at a time, and goes on after a failure', async () => {
  let [running, most, runs] = [0, 0, 0];
  const errors: unknown[] = [];
  const enough = Promise.withResolvers<void>();
  const stop = repeat({
    everyMs: 1,
    work: async () => {
      running++;
      most = Math.max(most, running);
      await new Promise((later) => setTimeout(later, 5));
      running--;
      if (++runs === 4) enough.resolve();
      if (runs === 2) throw new Error('once');
    },
    onError: (error) => errors.push(error),
  });
  expect(running).toBe(1);
  await enough.promise;
  await stop();
  expect([most, running]).toEqual([1, 0]);
  expect(errors).toEqual([new Error('once')]);
});

it('tells the work to end, and waits for it', async () => {
  let ended = false;
  const stop = repeat({
    everyMs: 1,
    work: async (signal) => {
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      ended = true;
    },
    onError: () => {},
  });
  await stop();
  expect(ended).toBe(true);
});
