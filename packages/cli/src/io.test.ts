import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, startProcess, testFolder } from '../../../test/support/server.ts';

const PAGE = 'http://localhost:8787/oauth/device?user_code=AB&x=$(touch%20x);y';

/** Has no programs on its PATH except those in the folder. */
async function openIn(folder: string) {
  const script = `import { openPage } from ${JSON.stringify(join(ROOT, 'packages/cli/src/io.ts'))}; openPage('${PAGE}');`;
  const opening = startProcess(process.execPath, ['--input-type=module', '-e', script], { PATH: folder });
  expect(await opening.ended(), opening.output()).toEqual({ code: 0, signal: null });
  expect(opening.output()).toBe('');
}

it('opens a page with what the system has for it, as it is written', async () => {
  const folder = testFolder();
  const opened = join(folder, 'opened');
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nprintf '%s' "$*" > '${opened}.new'; /bin/mv '${opened}.new' '${opened}'\n`,
    );
    chmodSync(join(folder, name), 0o755);
  }
  await openIn(folder);
  await expect.poll(() => existsSync(opened)).toBe(true);
  expect(readFileSync(opened, 'utf8')).toBe(PAGE);
});

it('says nothing where there is no browser', async () => {
  await openIn(testFolder());
});
