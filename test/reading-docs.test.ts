// The examples of docs/reading.md, run one after the other as they stand there.
import { it } from 'vitest';
import { openPageServer } from './support/page-server.ts';
import { waitForSearch } from './support/search-wait.ts';

it('the examples of docs/reading.md do what they say', async () => {
  const { client, runCommands, runScript } = await openPageServer('docs/reading.md');
  await runCommands(async (command) => {
    // The page says that the index follows within a second or so; the test waits for it.
    if (/[?&]q=|search/.test(command)) await waitForSearch(() => client.thing.search('acme', 'lab', 'hall'));
  });
  await runScript();
});
