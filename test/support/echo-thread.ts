// The thread of the Thread tests. It echoes, refuses, throws or dies on request.
import { threadId } from 'node:worker_threads';
import { fail } from '@cairn/protocol/errors';
import { serveThread } from '../../packages/server/src/engine/thread.ts';

async function serve(data: string, request: string): Promise<string> {
  if (request === 'refuse') throw fail('CONFLICT', { message: 'Not now.', hint: 'wait' });
  if (request === 'throw') throw new Error('thrown in the thread');
  if (request === 'die') process.exit(1);
  if (request === 'slow') await new Promise((later) => setTimeout(later, 200));
  return `${data}: ${request}${request === 'who' ? ` ${threadId}` : ''}`;
}

serveThread((data: string) => {
  const inHand = new Set<Promise<unknown>>();
  return {
    serve: (request: string) => {
      const work = serve(data, request);
      inHand.add(work.catch(() => {}));
      return work;
    },
    close: async () => {
      await Promise.all(inHand);
    },
  };
});
