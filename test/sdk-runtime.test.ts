// One script prints the same lines on Node, in Chromium and, in the long suite, on Bun and on Deno.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startBrowser } from './support/chromium.ts';
import { bundle } from './support/sdk/bundle.ts';
import type { Stage } from './support/sdk/tour.ts';
import { createOwnerToken, ROOT, startProcess, startTestServer } from './support/server.ts';
import { IS_LONG } from './support/suite.ts';
import { RUNTIMES } from './tools/install.ts';

/** The install script of the package `bun` moves the binary, if it ran. */
function bunPath(): string {
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  const original = join(RUNTIMES, `node_modules/@oven/bun-${process.platform}-${arch}/bin/bun`);
  return existsSync(original) ? original : join(RUNTIMES, 'node_modules/bun/bin/bun.exe');
}

function denoPath(): string {
  const libc = process.platform === 'linux' ? '-glibc' : '';
  return join(RUNTIMES, `node_modules/@deno/${process.platform}-${process.arch}${libc}/deno`);
}

it('does the same on every runtime', async () => {
  const { url, store } = await startTestServer('sqlite');
  const token = await createOwnerToken(store);
  const { code } = await bundle(join(ROOT, 'test/support/sdk/tour.ts'));
  const folder = mkdtempSync(join(tmpdir(), 'cairn-tour-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'tour.mjs'), code);
  const start =
    "import { tour } from './tour.mjs';\nconsole.log(JSON.stringify(await tour(JSON.parse(process.argv[2]))));\n";
  writeFileSync(join(folder, 'start.mjs'), start);

  const run = async (runtime: readonly [string, ...string[]], stage: Stage): Promise<string[]> => {
    const [program, ...flags] = runtime;
    const args = [...flags, join(folder, 'start.mjs'), JSON.stringify(stage)];
    // By default Deno caches compiled code in the user's home and checks for updates.
    const ofDeno = { DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' };
    const started = startProcess(program, args, { CAIRN_URL: '', ...ofDeno });
    expect((await started.ended()).code, started.output()).toBe(0);
    return JSON.parse(started.output());
  };
  const visit = async (stage: Stage): Promise<string[]> => {
    const { page, complaints } = await (await startBrowser())();
    await page.route(`${url}/tour*`, (route) => {
      const isScript = route.request().url().endsWith('.mjs');
      const contentType = isScript ? 'text/javascript' : 'text/html';
      return route.fulfill({ contentType, body: isScript ? code : '<!doctype html>' });
    });
    await page.goto(`${url}/tour`);
    const run = `import('/tour.mjs').then(({ tour }) => tour(${JSON.stringify(stage)}))`;
    const lines = (await page.evaluate(run)) as string[];
    // The browser logs refused requests itself. Nothing else may be logged.
    expect(complaints.filter((complaint) => !/^Failed to load resource/.test(complaint))).toEqual([]);
    return lines;
  };

  const onNode = await run([process.execPath], { url, token, orgName: 'tour-node' });
  expect(onNode).toMatchSnapshot();
  expect(await visit({ url, token, orgName: 'tour-chromium' })).toEqual(onNode);
  if (!IS_LONG) return;
  const deno = [denoPath(), 'run', '--allow-net=localhost,127.0.0.1', '--allow-env'] as const;
  expect(await run([bunPath()], { url, token, orgName: 'tour-bun' })).toEqual(onNode);
  expect(await run(deno, { url, token, orgName: 'tour-deno' })).toEqual(onNode);
});
