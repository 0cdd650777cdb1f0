// The examples of docs/sdk.md, run in order and unchanged.
import { it } from 'vitest';
import { openPageServer } from './support/page-server.ts';

it('the examples of docs/sdk.md do what they say', async () => {
  const { runScript } = await openPageServer('docs/sdk.md');
  await runScript();
});
