// The examples of docs/relations.md, run one after the other as they stand there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createOwnerToken, ROOT, startProcess, startTestServer } from './support/server.ts';

interface Example {
  readonly command: string;
  /** What the page says that it prints. */
  readonly lines: readonly string[];
}

function examplesIn(page: string): Example[] {
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  return blocks
    .join('')
    .split(/^(?=npx cairn)/m)
    .map(exampleOf);
}

function exampleOf(text: string): Example {
  const shown = [...text.matchAll(/^# +(.*)\n/gm)];
  return { command: text.replaceAll(/^# .*\n/gm, ''), lines: shown.map(([, line = '']) => line) };
}

/** Identities and derived names differ from one server to the next. */
function normal(text: string): string {
  return text.replaceAll(/[0-9A-Z]{26}|[0-9a-f]{32}/g, 'ID').replaceAll(/ +/g, ' ');
}

it('the examples of docs/relations.md do what they say', async () => {
  const { url, store } = await startTestServer('sqlite');
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store), CAIRN_REPO: 'acme/house' };
  const examples = examplesIn(readFileSync(join(ROOT, 'docs/relations.md'), 'utf8'));
  const first = ['org create acme', 'repo create acme/house'].map((rest) => ({
    command: `npx cairn ${rest}`,
    lines: [],
  }));
  for (const { command, lines } of [...first, ...examples]) {
    const cairn = command.replace('npx cairn', 'node packages/cli/bin/cairn.mjs');
    const run = startProcess('sh', ['-c', cairn], environment);
    expect((await run.ended()).code, `${command}\n${run.output()}`).toBe(0);
    for (const line of lines) expect(normal(run.output())).toContain(normal(line));
  }
});
