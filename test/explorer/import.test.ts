// Importing a file in the explorer: an export, or lines of operations.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { createPerson } from '../support/person.ts';
import type { Page } from '../tools/chromium.ts';

const BOB = { email: 'bob@example.com', password: 'a password for bob' };

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'world', {});
  await client.repo.create('ada', 'copy', {});
  await client.commit.submit('ada', 'world', {
    operations: [
      { kind: 'shape', name: 'Place', data: { fields: { label: 'string' } } },
      { name: 'Place/cave', data: { label: 'A cave' } },
    ],
  });
}

const fileOf = (name: string, text: string) => ({
  name,
  mimeType: 'application/x-ndjson',
  buffer: Buffer.from(text),
});

async function exportOf(client: CairnClient): Promise<string> {
  const parts: string[] = [];
  for await (const { lines } of client.repo.exportLines('ada', 'world')) parts.push(Buffer.from(lines).toString());
  return parts.join('');
}

/** Checks that each link stays on one line and within the window. */
async function linesOfHeader(page: Page): Promise<number> {
  const links = await page.getByRole('banner').getByRole('link').all();
  const boxes = await Promise.all(links.map((link) => link.boundingBox()));
  for (const box of boxes) {
    expect(box?.height).toBeLessThan(30);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  }
  const middles = boxes.map((box) => (box?.y ?? 0) + (box?.height ?? 0) / 2).toSorted((one, other) => one - other);
  return middles.filter((middle, at) => at === 0 || middle - (middles[at - 1] ?? 0) > 10).length;
}

describe('an import in the explorer', () => {
  it.each(SIZES)('writes lines of operations, and tells which were refused, on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await client.repo.configure('ada', 'world', { features: { streamSubmissions: false } });
    await page.goto(`${url}/ada/world/records`);
    await page.getByRole('link', { name: 'Import a file' }).click();
    // The page explains file formats and limits before a file is chosen.
    await page.getByText('{"name":"Place/new-name","data":{"label":"text"}}').waitFor();
    await page.getByText('(repo:admin)').waitFor();
    expect(await page.getByRole('link', { name: 'What a line can be' }).getAttribute('href')).toMatch(/^\/docs\//);
    const wrong = page.getByLabel('File').and(page.locator('[aria-invalid=true]'));
    await page.getByLabel('File').setInputFiles(fileOf('empty.ndjson', ''));
    await page.getByText('This file is empty. Choose one that has something in it.').waitFor();
    await page.getByLabel('File').setInputFiles(fileOf('picture.ndjson', 'GIF89a'));
    await page.getByText('This is no NDJSON').waitFor();
    expect(await wrong.count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
    const lines = [
      { name: 'Place/hut', data: { label: 'A hut' } },
      { name: 'Place/none', data: {} },
      { name: 'Place/cave', data: { label: 'Another' } },
    ];
    await page
      .getByLabel('File')
      .setInputFiles(fileOf('lines.ndjson', lines.map((line) => JSON.stringify(line)).join('\n')));
    await page.getByText('Lines of operations').first().waitFor();
    expect(await wrong.count()).toBe(0);
    await page.getByText('ada/world takes no lines in bulk').waitFor();
    expect(await page.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Let it take them' }).click();
    await page.getByLabel('Leave records that are there as they are').check();
    expect(await page.getByLabel('Message').getAttribute('placeholder')).toBe('Import of lines.ndjson');
    await expectWellMade(visited);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 operation was applied, 1 had nothing to change, 1 was refused.').waitFor();
    await page.getByRole('link', { name: 'Work: 1 refused' }).waitFor();
    for (const width of [size.width, 320]) {
      await page.setViewportSize({ ...size, width });
      expect(await linesOfHeader(page)).toBeLessThanOrEqual(2);
    }
    await page.setViewportSize(size);
    await page.getByText('Line 2, SHAPE_MISMATCH').waitFor();
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'See the records' }).click();
    await page.getByRole('link', { name: 'Place/hut' }).waitFor();
    const { data } = await client.thing.get('ada', 'world', 'Place/cave');
    expect(data).toEqual({ label: 'A cave' });
    const [newest] = (await client.commit.log('ada', 'world', { limit: 1 })).items;
    expect(newest?.message).toBe('Import of lines.ndjson');
  });

  detail('that meets what is no JSON says what was written before it', async () => {
    const { url, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/world/import`);
    const lines = ['{"name":"Place/hut","data":{"label":"A hut"}}', '{"name":"Place/none","data":{}}', 'nothing'];
    const last = '{"name":"Place/last","data":{"label":"The last"}}';
    await page.getByLabel('File').setInputFiles(fileOf('lines.ndjson', [...lines, last].join('\n')));
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('alert').getByText('what comes after was not read. Line 3').waitFor();
    await page.getByText('1 operation was applied, 0 had nothing to change, 1 was refused.').waitFor();
    await page.getByText('Line 2, SHAPE_MISMATCH').waitFor();
    await expectWellMade(visited);
    // The result is still available after leaving the page.
    await page.getByRole('link', { name: 'Work: 1 stopped, 1 refused' }).click();
    await page.getByText('It was stopped, and what comes after was not read. Line 3').waitFor();
    await page.getByText('Until then: 1 operation was applied').waitFor();
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'Import into ada/world' }).click();
    await page.getByRole('link', { name: 'See the last commit' }).click();
    await page.getByText('Place/hut').first().waitFor();
  });

  it('restores an export into an empty repository, and refuses one that is cut', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    const whole = await exportOf(client);
    await page.goto(`${url}/ada/copy`);
    await page.getByRole('link', { name: 'Import a file' }).click();
    await page
      .getByLabel('File')
      .setInputFiles(fileOf('cut.ndjson', whole.slice(0, whole.lastIndexOf('\n', whole.length - 2) + 1)));
    await page.getByText('An export of Cairn').first().waitFor();
    await page.getByRole('button', { name: 'Import' }).click();
    await page
      .getByRole('alert')
      .getByText(/The export is incomplete: /)
      .waitFor();
    await page.getByRole('button', { name: 'Abort the import' }).waitFor();
    await page.getByLabel('File').setInputFiles(fileOf('world.ndjson', whole));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Restored: 2 rows, shapes and texts among them, at sequence 1.').waitFor();
    expect((await client.thing.get('ada', 'copy', 'Place/cave')).data).toEqual({ label: 'A cave' });
    await page.goto(`${url}/ada/world/import`);
    await page.getByLabel('File').setInputFiles(fileOf('world.ndjson', whole));
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('alert').getByText('import an export of only what changed after sequence 1').waitFor();
  });

  detail.each(SIZES)('that nobody goes on with is gone on with, or aborted, on a $device', async ({ size }) => {
    const { url, client, store, visit } = await openExplorer(fill);
    const whole = await exportOf(client);
    const [header = ''] = whole.split('\n', 1);
    const begin = () => client.import.begin('ada', 'copy', JSON.parse(header));
    await begin();
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/copy`);
    await page.getByText('An export is being restored here.').waitFor();
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'import the same file again' }).click();
    await page.getByText('choose the same file below: it goes on where it was').waitFor();
    await expectWellMade(visited);
    await page.getByRole('button', { name: 'Abort the import' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Abort the import' }).click();
    await expect.poll(() => page.getByText('An export is being restored here.').count()).toBe(0);
    expect((await client.repo.get('ada', 'copy')).importing).toBeUndefined();
    await begin();
    await page.reload();
    await page.getByText('An export is being restored here.').waitFor();
    await page.getByLabel('File').setInputFiles(fileOf('world.ndjson', whole));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Restored: 2 rows').waitFor();
    await expect.poll(() => page.getByText('An export is being restored here.').count()).toBe(0);
    // Writers without import rights see an explanation and no actions.
    await client.repo.create('ada', 'other');
    await client.import.begin('ada', 'other', JSON.parse(header));
    await createPerson(store, { ...BOB, operator: false });
    await client.repo.setRole('ada', 'other', { handle: 'bob' }, 'write');
    const writer = await visit({ size, signedIn: BOB });
    await writer.page.goto(`${url}/ada/other/import`);
    await writer.page.getByText('An export is being restored here.').waitFor();
    expect(await writer.page.getByRole('button', { name: 'Abort the import' }).count()).toBe(0);
  });
});
