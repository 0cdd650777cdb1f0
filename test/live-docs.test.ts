// The examples of docs/live.md, run one after the other as they stand there.
import { it } from 'vitest';
import { openPageServer } from './support/page-server.ts';

it('the examples of docs/live.md do what they say', async () => {
  const { runCommands, runScript } = await openPageServer('docs/live.md');
  await runCommands();
  await runScript();
});
