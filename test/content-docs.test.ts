// The examples of docs/content.md, run one after the other as they stand there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createOwnerToken, ROOT, startProcess, startTestServer } from './support/server.ts';

interface Example {
  readonly language: string;
  readonly text: string;
  /** What the page says that is answered. */
  readonly lines: readonly string[];
}

function examplesIn(page: string): Example[] {
  return [...page.matchAll(/```(sh|http)\n(.*?)```/gs)].map(([, language = '', block = '']) => ({
    language,
    text: block.replaceAll(/^#.*\n/gm, ''),
    lines: [...block.matchAll(/^# (.*)\n/gm)].map(([, line = '']) => line),
  }));
}

type Environment = Record<'CAIRN_URL' | 'CAIRN_TOKEN' | 'CAIRN_REPO', string>;

async function runCommands(text: string, environment: Environment): Promise<string> {
  const cairn = text.replaceAll('npx cairn', 'node packages/cli/bin/cairn.mjs');
  const run = startProcess('sh', ['-ec', cairn], environment);
  expect((await run.ended()).code, `${text}\n${run.output()}`).toBe(0);
  return run.output();
}

/** Reads need no credential: the repository is public. */
async function request(text: string, { CAIRN_URL, CAIRN_TOKEN }: Environment): Promise<string> {
  const [, method = '', path = '', body] = /^(\w+) (\S+)\n(.*)$/s.exec(text) ?? [];
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${CAIRN_TOKEN}` };
  const answer = await fetch(`${CAIRN_URL}${path}`, method === 'GET' ? {} : { method, headers, body: body ?? '' });
  const answered = await answer.text();
  expect([text, answer.status, answered]).toEqual([text, 200, answered]);
  return answered;
}

it('the examples of docs/content.md do what they say', async () => {
  const { url, store } = await startTestServer('sqlite');
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store), CAIRN_REPO: 'acme/house' };
  await runCommands('npx cairn org create acme\nnpx cairn repo create acme/house --public', environment);
  const examples = examplesIn(readFileSync(join(ROOT, 'docs/content.md'), 'utf8'));
  expect(examples.length).toBeGreaterThan(7);
  for (const { language, text, lines } of examples) {
    const run = language === 'sh' ? runCommands : request;
    const answered = await run(text, environment);
    for (const line of lines) expect(answered).toContain(line);
  }
}, 60_000);
