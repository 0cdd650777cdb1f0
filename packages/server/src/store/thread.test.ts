import { describe, expect, it, onTestFinished } from 'vitest';
import { Thread } from './thread.ts';

const file = new URL('../../../../test/support/echo-thread.ts', import.meta.url);

function startThread(): Thread<string, string> {
  const thread = new Thread<string, string>(file, 'data');
  onTestFinished(() => thread.close());
  return thread;
}

describe('a thread', () => {
  it('answers each call', async () => {
    const thread = startThread();
    expect(await Promise.all(['a', 'b'].map((text) => thread.call(text)))).toEqual(['data: a', 'data: b']);
  });

  it('carries refusals over with their code, and other errors with their message', async () => {
    const thread = startThread();
    await expect(thread.call('refuse')).rejects.toMatchObject({ name: 'CairnError', code: 'CONFLICT', hint: 'wait' });
    await expect(thread.call('throw')).rejects.toThrow('thrown in the thread');
  });

  it('that dies refuses the calls in hand, and is started again by the next', async () => {
    const thread = startThread();
    await expect(thread.call('die')).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
    expect(await thread.call('a')).toBe('data: a');
  });

  it('finishes the calls in hand before it closes, and takes no more', async () => {
    const thread = startThread();
    const last = thread.call('slow');
    await thread.close();
    expect(await last).toBe('data: slow');
    await expect(thread.call('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
