// The export page: saving, verifying, stopping, and resuming after a cut.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Page } from '../tools/chromium.ts';

const valley = (client: CairnClient) => writeValley(client, 'ada');

interface Range {
  readonly atRepoSeq?: number;
  readonly sinceRepoSeq?: number;
}

/** Returns the export without its header, which has a timestamp. */
async function rowsOf(client: CairnClient, range: Range = {}): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const { type, lines } of client.repo.exportLines('ada', 'valley', range))
    if (type !== 'header') parts.push(lines);
  return Buffer.concat(parts).toString();
}

const withoutHeader = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes).toString();
  return text.slice(text.indexOf('\n') + 1);
};

const withoutPicker = (page: Page) => page.addInitScript('delete window.showSaveFilePicker');

async function exportedBy(page: Page): Promise<{ bytes: Uint8Array; fileName: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Export/ }).click(),
  ]);
  return { bytes: readFileSync(await download.path()), fileName: download.suggestedFilename() };
}

describe.each(SIZES)('an export on a $device', ({ size }) => {
  it('is saved like a download where the browser writes no files, and its digest is that of the file', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await withoutPicker(page);
    await page.goto(`${url}/ada/valley/export`);
    await page.getByRole('heading', { level: 1, name: 'Export' }).waitFor();
    await page.getByText('works up to 500 MB').waitFor();
    await expectWellMade(visitor);
    const { bytes, fileName } = await exportedBy(page);
    await page.getByRole('heading', { name: 'Export complete' }).waitFor();
    expect(fileName).toBe('valley.ndjson');
    expect(withoutHeader(bytes)).toBe(await rowsOf(client));
    await page.getByText(hash('sha256', bytes, 'hex')).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visitor);
  });

  detail('is of what was chosen, which stands in the address', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const { page } = await visit({ size, signedIn: true });
    await withoutPicker(page);
    await page.goto(`${url}/ada/valley/export`);
    await page.getByLabel('An earlier sequence').check();
    // The newest sequence does not count as the past.
    await page.getByText('Latest sequence').waitFor();
    expect(await page.getByText('Viewing the past').count()).toBe(0);
    await page.getByLabel('Sequence', { exact: true }).fill('6');
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]at=6/);
    await page.getByLabel('Only what changed after a sequence').check();
    await page.getByLabel('After sequence').fill('2');
    await page.keyboard.press('Tab');
    await page.waitForURL(/[?&]since=2/);
    await page.getByText('The file has the records that changed after sequence 2').waitFor();
    const { bytes, fileName } = await exportedBy(page);
    expect(fileName).toBe('valley-since-2-at-6.ndjson');
    expect(withoutHeader(bytes)).toBe(await rowsOf(client, { atRepoSeq: 6, sinceRepoSeq: 2 }));
    await page.getByText('at sequence 6').waitFor();
    await page.getByText('Get this by REST, SDK or CLI').click();
    await page.getByText('export?atRepoSeq=6&sinceRepoSeq=2').waitFor();
    await page.getByLabel('Everything').check();
    await page.waitForURL((address) => !address.searchParams.has('since'));
  });
});

detail.each(SIZES)('who is not signed in is told so on a $device', async ({ size }) => {
  const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
  const visitor = await visit({ size });
  const { page } = visitor;
  await page.goto(`${url}/ada/valley/export?at=4`);
  await page.getByText('Sign in to export this repository, or use the command below with a token.').waitFor();
  expect(await page.getByRole('button', { name: /^Export/ }).isDisabled()).toBe(true);
  await expectWellMade(visitor);
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.waitForURL(/\/auth\/sign-in\?next=/);
  expect(new URL(page.url()).searchParams.get('next')).toBe('/ada/valley/export?at=4');
});

/** Replaces the file picker with a private file, and blocks each write until `letWrite`. */
const OWN_FILE = `window.showSaveFilePicker = async () => {
  const folder = await navigator.storage.getDirectory();
  const handle = await folder.getFileHandle('chosen.ndjson', { create: true });
  window.chosen = handle;
  if (!window.isSlow) return handle;
  return {
    getFile: () => handle.getFile(),
    createWritable: async () => {
      const file = await handle.createWritable();
      return {
        write: async (bytes) => { await new Promise((go) => { window.go = go; }); await file.write(bytes); },
        close: () => file.close(),
        abort: () => { window.isAbandoned = true; return file.abort(); },
      };
    },
  };
};`;

const SLOW = 'window.isSlow = true';

/** Lets the last blocked write finish. */
async function letWrite(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('window.go !== undefined')).toBe(true);
  await page.evaluate('(() => { const { go } = window; window.go = undefined; go(); })()');
}

describe('an export into a file that was chosen', () => {
  detail('is written as it comes, and read again to be sure', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const visitor = await visit({ signedIn: true });
    const { page } = visitor;
    await page.addInitScript(OWN_FILE);
    await page.goto(`${url}/ada/valley/export`);
    await page.getByRole('button', { name: 'Export to a file…' }).click();
    await page.getByRole('heading', { name: 'Export complete' }).waitFor();
    const text = String(await page.evaluate('window.chosen.getFile().then((file) => file.text())'));
    expect(withoutHeader(Buffer.from(text))).toBe(await rowsOf(client));
    await page.getByText(hash('sha256', text, 'hex')).waitFor();
    await expectWellMade(visitor);
  });

  detail('can be stopped, and leaves nothing behind', async () => {
    const { url, visit } = await openExplorer(valley);
    const { page, complaints } = await visit({ signedIn: true });
    await page.addInitScript(SLOW);
    await page.addInitScript(OWN_FILE);
    await page.goto(`${url}/ada/valley/export`);
    await page.getByRole('button', { name: 'Export to a file…' }).click();
    await letWrite(page);
    // Chunk sizes depend on the network.
    await page.getByText(/^\d+ of about 34 rows, /).waitFor();
    expect(await page.getByRole('progressbar').getAttribute('max')).toBe('34');
    await page.getByRole('button', { name: 'Stop' }).click();
    const stopped = async () => {
      await page.evaluate('window.go?.()');
      return await page.getByText('The export was stopped, and the partial file was discarded.').count();
    };
    await expect.poll(stopped).toBe(1);
    expect(await page.evaluate('window.isAbandoned')).toBe(true);
    expect(await page.evaluate('window.chosen.getFile().then((file) => file.size)')).toBe(0);
    expect(complaints).toEqual([]);
  });

  detail('goes on while other pages are looked at, and asks who would close the tab', async () => {
    const { url, visit } = await openExplorer(valley);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    await page.addInitScript(SLOW);
    await page.addInitScript(OWN_FILE);
    await page.goto(`${url}/ada/valley/export`);
    await page.getByRole('button', { name: 'Export to a file…' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Tasks: 1 running' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await expectWellMade(visited);
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.evaluate('location.reload()').catch(() => undefined);
    await expect.poll(() => asked).toEqual(['beforeunload']);
    const done = async () => {
      await page.evaluate('window.go?.()');
      return await page.getByText(/^Complete: \d+ rows\.$/).count();
    };
    await expect.poll(done).toBe(1);
    await page.getByRole('link', { name: 'Export of ada/valley' }).click();
    await page.getByRole('heading', { name: 'Export complete' }).waitFor();
    await page.getByRole('link', { name: 'Tasks: done' }).click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('There are no tasks.').waitFor();
  });

  it('goes on by itself after a cut', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const { page } = await visit({ signedIn: true });
    await page.addInitScript(OWN_FILE);
    await page.route(/\/api\/repos\/.*\/export/, (route) => route.abort('connectionreset'), { times: 1 });
    await page.goto(`${url}/ada/valley/records`);
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Export to a file…' }).click();
    await page.getByRole('heading', { name: 'Export complete' }).waitFor();
    const text = String(await page.evaluate('window.chosen.getFile().then((file) => file.text())'));
    expect(withoutHeader(Buffer.from(text))).toBe(await rowsOf(client));
  });

  detail('tells what is wrong, and what to do', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const { page } = await visit({ signedIn: true });
    await page.addInitScript(OWN_FILE);
    await page.goto(`${url}/ada/valley/export`);
    await page.getByRole('button', { name: 'Export to a file…' }).waitFor();
    // The open page stays, although the server refuses its next request.
    await client.repo.rename('ada', 'valley', { newName: 'elsewhere' });
    await page.getByRole('button', { name: 'Export to a file…' }).click();
    await page.getByRole('alert').getByRole('heading', { name: 'Not found' }).waitFor();
  });
});
