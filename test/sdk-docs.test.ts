// The examples of docs/sdk.md, run one after the other as they stand there.
import { it } from 'vitest';
import { openPageServer } from './support/page-server.ts';

it('the examples of docs/sdk.md do what they say', async () => {
  const { runScript } = await openPageServer('docs/sdk.md');
  await runScript();
});
