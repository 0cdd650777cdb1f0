// The examples of docs/exporting.md, run one after the other as they stand there.
import { it } from 'vitest';
import { openPageServer } from './support/page-server.ts';

it('the examples of docs/exporting.md do what they say', async () => {
  const { runCommands, runScript } = await openPageServer('docs/exporting.md');
  await runCommands();
  await runScript();
});
