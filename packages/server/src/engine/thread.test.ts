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

  it('that was closed is opened anew for the next of its kind, with what that one is for', async () => {
    const first = new Thread<string, string>(file, 'first');
    const answer = await first.call('who');
    await first.close();
    const second = new Thread<string, string>(file, 'second');
    onTestFinished(() => second.close());
    expect(await second.call('who')).toBe(answer.replace('first', 'second'));
    await expect(first.call('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('that rests is ended, and another is started by the next call', async () => {
    const thread = new Thread<string, string>(file, 'data', { restsAfterMs: 1 });
    onTestFinished(() => thread.close());
    const first = await thread.call('who');
    await expect.poll(() => thread.call('who')).not.toBe(first);
    expect(await Promise.all(['a', 'slow'].map((text) => thread.call(text)))).toEqual(['data: a', 'data: slow']);
  });

  it('that died is not kept', async () => {
    const thread = new Thread<string, string>(file, 'first');
    const before = await thread.call('who');
    await expect(thread.call('die')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await thread.call('who')).not.toBe(before);
    await thread.close();
  });
});
