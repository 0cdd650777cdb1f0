// Every example of docs/ that is marked as runnable, page by page, each on a new server. Pages that need more than a
// server, such as a webhook receiver, have their own tests, listed here.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsIn, isRunnable, readPage, scriptIn } from './support/page-example.ts';
import { openPageServer, type PageServerOptions } from './support/page-server.ts';
import { waitForSearch } from './support/search-wait.ts';
import { ROOT, testFolder } from './support/server.ts';

const RUN_BY: Readonly<Record<string, string>> = {
  'docs/get-started.md': 'test/get-started-docs.test.ts',
  'docs/actions.md': 'test/actions-docs.test.ts',
  'docs/components.md': 'test/components-docs.test.ts',
  'docs/oauth.md': 'test/oauth-docs.test.ts',
};

const METRICS = { CAIRN_METRICS_TOKEN: 'a token for metrics, of 32 characters or more' };

/** Prerequisites of a page besides a server. */
const WORLDS: Readonly<Record<string, () => PageServerOptions>> = {
  'docs/operate.md': () => ({ settings: METRICS, environment: METRICS }),
  'docs/backup.md': () => {
    const folder = testFolder();
    return {
      settings: { CAIRN_DATA: join(folder, 'data') },
      replaced: {
        '/var/lib/cairn-new': join(folder, 'new'),
        '/var/lib/cairn': join(folder, 'data'),
        '/backups': folder,
      },
    };
  },
};

const runnable = globSync('docs/**/*.md', { cwd: ROOT }).filter((page) => isRunnable(readPage(page)));

describe('the examples of docs', () => {
  it.each(runnable.filter((page) => RUN_BY[page] === undefined))(
    '%s do what they say',
    async (page) => {
      const { client, runCommands, runScript } = await openPageServer(page, WORLDS[page]?.());
      await runCommands(async (command) => {
        // The page says that the index follows within about a second, so the test waits for it.
        if (/[?&]q=|search/.test(command)) await waitForSearch(() => client.thing.search('acme', 'sensors', 'hall'));
      });
      if (scriptIn(page) !== undefined) await runScript();
    },
    240_000,
  );

  it('are many', () => {
    expect(runnable.length).toBeGreaterThan(10);
    expect(runnable.flatMap(commandsIn).length).toBeGreaterThan(150);
  });

  it.each(Object.entries(RUN_BY))('%s are run by %s', (page, test) => {
    expect(runnable).toContain(page);
    expect(readFileSync(join(ROOT, test), 'utf8')).toContain(`'${page}'`);
  });

  it('are marked where they stand on a page that is run: the rest is text', () => {
    const unmarked = runnable.flatMap((page) =>
      [...readPage(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => `${page}: ${block.split('\n')[0]}`),
    );
    expect(unmarked).toEqual([]);
  });
});
