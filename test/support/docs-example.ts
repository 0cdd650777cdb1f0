// The examples of a page, run one after the other as they stand there.
import { expect } from 'vitest';
import { commandsIn, EXAMPLE_PATH } from './page-example.ts';
import { createOwnerToken, startProcess, startTestServer } from './server.ts';

/** Identities and derived names differ from one server to the next. */
function normal(text: string): string {
  return text.replaceAll(/[0-9A-Z]{26}|[0-9a-f]{32}/g, 'ID').replaceAll(/ +/g, ' ');
}

/** In a new repository, `acme/house`, of a new server. */
export async function runExamples(file: string): Promise<void> {
  const { url, store } = await startTestServer('sqlite');
  const token = await createOwnerToken(store);
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: token, CAIRN_REPO: 'acme/house', PATH: EXAMPLE_PATH };
  const first = ['org create acme', 'repo create acme/house'].map((rest) => ({
    command: `npx cairn ${rest}`,
    lines: [],
  }));
  for (const { command, lines } of [...first, ...commandsIn(file)]) {
    const cairn = command.replace('npx cairn', 'node packages/cli/bin/cairn.mjs');
    const run = startProcess('sh', ['-c', cairn], environment);
    expect((await run.ended()).code, `${command}\n${run.output()}`).toBe(0);
    for (const line of lines) expect(normal(run.output()), command).toContain(normal(line));
  }
}
