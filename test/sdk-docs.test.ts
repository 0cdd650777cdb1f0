// The example of docs/sdk.md, run as it stands there.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createOwnerToken, ROOT, startProcess, startTestServer } from './support/server.ts';

it('the example of docs/sdk.md does what it says', async () => {
  const { url, store } = await startTestServer('sqlite');
  const token = await createOwnerToken(store);
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/sdk.md'), 'utf8')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const create = "await client.org.create('acme');\n\nawait client.repo.create";
  const script = example.replace('http://localhost:8787', url).replace('await client.repo.create', create);
  writeFileSync(join(folder, 'example.ts'), `${script}\nconsole.log(cave.data);\n`);
  const run = startProcess('node', ['run.mjs', join(folder, 'example.ts')], { CAIRN_TOKEN: token });
  expect((await run.ended()).code, run.output()).toBe(0);
  expect(run.output()).toContain('There is no record Location/nowhere in acme/world.');
  expect(run.output()).toContain('{ x: 3 }');
  expect(run.output()).toContain('Location/cavern@v1');
});
