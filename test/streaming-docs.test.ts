// The examples of docs/streaming.md, run one after the other as they stand there.
import { it } from 'vitest';
import { openPageServer } from './support/page-server.ts';

it('the examples of docs/streaming.md do what they say', async () => {
  const { runCommands, runScript } = await openPageServer('docs/streaming.md');
  await runCommands();
  await runScript();
});
