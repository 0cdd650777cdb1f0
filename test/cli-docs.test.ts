// The tour of docs/cli.md, run as a shell would, in a new folder.
import { expect, it } from 'vitest';
import { commandsOf, readPage } from './support/page-example.ts';
import { cairnFile, createOwnerToken, startProcess, startTestServer, testFolder } from './support/server.ts';

/** Column widths depend on their content. */
const normal = (text: string) => text.replaceAll(/ +/g, ' ');

it('the tour of docs/cli.md does what it says', async () => {
  const [, tour = ''] = /^## A tour\n(.*?)^## /ms.exec(readPage('docs/cli.md')) ?? [];
  const commands = commandsOf(tour);
  expect(commands.length).toBeGreaterThan(12);
  const { url, store } = await startTestServer('sqlite');
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store) };
  const folder = testFolder();
  for (const { command, lines } of commands) {
    const cairn = command.replace('npx cairn', `'${process.execPath}' '${cairnFile()}'`);
    const run = startProcess('sh', ['-c', `cd '${folder}' && ${cairn}`], environment);
    expect((await run.ended()).code, `${command}\n${run.output()}`).toBe(0);
    for (const line of lines) expect(normal(run.output()), command).toContain(normal(line));
  }
});
