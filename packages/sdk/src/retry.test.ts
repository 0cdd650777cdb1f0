import { fail } from '@cairn/protocol/errors';
import { describe, expect, it } from 'vitest';
import { createTries, pause } from './retry.ts';

const broken = fail('NETWORK_ERROR', { message: 'broken' });

describe('another try', () => {
  it('is made a number of times without progress, and as often again after any', async () => {
    const tryAgain = createTries({ tries: 2, pauseMs: 0 });
    await tryAgain(broken, 0);
    await tryAgain(broken, 0);
    await tryAgain(broken, 5);
    await tryAgain(broken, 5);
    await expect(tryAgain(broken, 5)).rejects.toBe(broken);
  });

  it('is not made of what cannot succeed, or not soon', async () => {
    const tryAgain = createTries({ pauseMs: 0 });
    for (const error of [
      fail('NOT_FOUND', { message: 'none' }),
      fail('RATE_LIMITED', { message: 'later', retryAfter: 3_600 }),
      new TypeError('a mistake'),
    ]) {
      await expect(tryAgain(error, 0)).rejects.toBe(error);
    }
  });

  it('is made when the server says so', async () => {
    await createTries({ tries: 1, pauseMs: 3_600_000 })(fail('UNAVAILABLE', { message: 'soon', retryAfter: 0.01 }), 0);
  });
});

it('a pause ends when it is aborted', async () => {
  const stopping = new AbortController();
  const pausing = pause(3_600_000, stopping.signal);
  stopping.abort(new Error('enough'));
  await expect(pausing).rejects.toThrow('enough');
  await expect(createTries({}, stopping.signal)(broken, 0)).rejects.toThrow('enough');
});
