import { expect, it } from 'vitest';
import { repeat } from './repetition.job.ts';

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

it('runs what fails again and again less often, and as before when it succeeds', async () => {
  const runs = { failing: 0, other: 0 };
  let fails = true;
  const stopFailing = repeat({
    everyMs: 1,
    work: async () => {
      runs.failing++;
      if (fails) throw new Error('again');
    },
    onError: () => {},
  });
  const stopOther = repeat({ everyMs: 1, work: async () => void runs.other++, onError: () => {} });
  await expect.poll(() => runs.other, { interval: 1 }).toBeGreaterThan(300);
  expect(runs.failing).toBeLessThan(50);
  fails = false;
  await expect.poll(() => runs.failing, { interval: 1 }).toBeGreaterThan(100);
  await Promise.all([stopFailing(), stopOther()]);
});
