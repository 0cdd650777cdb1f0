// Imports into a real server, over connections that really break.

import { array, assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startProxy } from '../../../test/support/proxy.ts';
import { exportText, listOf, openWorld, withoutTime } from '../../../test/support/sdk-world.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { type ReadPart, readExport } from './import.ts';
import type { CairnClient, ExportHeader, ImportProgress } from './index.ts';

const HEADER = { type: 'header', formatVersion: 1, atRepoSeq: 1 };
const line = (value: object) => JSON.stringify(value);
const row = (durableId: string, note = '') => line({ type: 'record', durableId, note: note.padEnd(80, '.') });
const end = (recordCount: number) => line({ type: 'end', recordCount });

function read(text: string): Promise<ReadPart[]> {
  return listOf(readExport(new Blob([text]).stream()));
}

describe('an export that is read', () => {
  it('is its header, its rows as they stand there, and its end mark', async () => {
    const rows = [row('a'), row('ü\\n'), `  ${row('b')}`];
    const parts = [
      { type: 'header', header: HEADER },
      { type: 'rows', rows },
      { type: 'end', end: { type: 'end', recordCount: 3 } },
    ];
    const lines = [line(HEADER), ...rows, end(3)];
    expect(await read(`${lines.join('\n')}\n`)).toEqual(parts);
    // Editors may change the end of a file without any effect.
    expect(await read(lines.join('\n'))).toEqual(parts);
    expect(await read(`${lines.join('\n')}\n\n`)).toEqual(parts);
    expect(await read([line(HEADER), '{ "type": "end", "recordCount": 0 }'].join('\n'))).toHaveLength(2);
  });

  it('is no path of a file', async () => {
    const path = 'world.ndjson' as unknown as ReadableStream;
    await expect(listOf(readExport(path))).rejects.toThrow('An import needs bytes, such as those of createReadStream');
  });

  it('comes in groups that a request can carry', async () => {
    const groupsOf = async (rows: string[]) =>
      (await read([line(HEADER), ...rows, end(rows.length)].join('\n')))
        .filter((part) => part.type === 'rows')
        .map((part) => part.rows.length);
    expect(await groupsOf(Array.from({ length: 2_500 }, () => row('a')))).toEqual([1_000, 1_000, 500]);
    expect(await groupsOf([row('a'), row('b', 'x'.repeat(1_500_000)), row('c'), row('d')])).toEqual([1, 1, 2]);
  });

  it.each([
    ['', 'The export is incomplete'],
    [row('a'), 'Line 1 is not the header of an export'],
    ['PK\u0003\u0004', 'Line 1 is not the header of an export'],
    [line(HEADER), 'The export is incomplete'],
    [[line(HEADER), row('a')].join('\n'), 'it stops after 2 lines'],
    [[line(HEADER), end(0), row('a')].join('\n'), 'Line 3 comes after the end of the export'],
    [[line(HEADER), end(0), line(HEADER), end(0)].join('\n'), 'Line 3 comes after the end of the export'],
  ])('%j is refused', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(message),
    });
  });

  it('that is not text is refused', async () => {
    const bytes = (async function* () {
      yield new TextEncoder().encode(`${line(HEADER)}\n`);
      yield Uint8Array.of(0xff, 0xfe, 0x0a);
    })();
    await expect(listOf(readExport(bytes))).rejects.toMatchObject({ message: expect.stringContaining('UTF-8') });
  });
});

const bytesOf = (text: string) => new Blob([text]).stream();

/** Removes everything that names the repository and the import, since it differs between an original and its copy. */
function withoutSource(text: string): string {
  return withoutTime(text)
    .replaceAll(/"(repo|commitId)":"[^"]*"/g, '')
    .replaceAll(/"[0-9A-Z]{26}(@v\d+)?"/g, '"id"');
}

async function exportOf(client: CairnClient, repoName: string, options = {}): Promise<string> {
  const lines: Uint8Array[] = [];
  for await (const part of client.repo.exportLines('ada', repoName, options)) lines.push(part.lines);
  return Buffer.concat(lines).toString('utf8');
}

describe.each(UPPER_ENGINES)('client.repo.import on %s', (engine) => {
  it('restores an export, and applies increments', async () => {
    const { client } = await openWorld(engine);
    const [older, later] = [await exportText(client, { atRepoSeq: 4 }), await exportText(client, { sinceRepoSeq: 4 })];
    await client.repo.create('ada', 'copy');
    const told: ImportProgress[] = [];
    const onProgress = (progress: ImportProgress) => told.push(progress);
    const restored = await client.repo.import('ada', 'copy', bytesOf(older), { onProgress });
    expect(restored).toMatchObject({ repoSeq: 4, commitId: expect.any(String), recordCount: 10 });
    expect(told).toContainEqual({ state: 'sending', rows: 10 });
    expect(withoutSource(await exportOf(client, 'copy'))).toBe(withoutSource(older));
    expect(await client.repo.import('ada', 'copy', bytesOf(later))).toMatchObject({ repoSeq: 7 });
    expect(withoutSource(await exportOf(client, 'copy'))).toBe(withoutSource(await exportText(client)));
  });

  it('goes on where the server is, however often it is cut', async () => {
    const { url, client, through } = await openWorld(engine);
    const operations = Array.from({ length: 2_500 }, (_, index) => ({
      name: `Room/n-${index}`,
      data: { size: index },
    }));
    await client.commit.submit('ada', 'world', { operations });
    const text = await exportText(client);
    let copies = 0;
    await assert(
      asyncProperty(array(integer({ min: 0, max: 1_500 }), { maxLength: 6 }), async (cuts) => {
        copies += 1;
        await client.repo.create('ada', `copy-${copies}`);
        const proxy = await startProxy(url, { cutAfter: (connection) => cuts[connection] });
        const cut = through(proxy.url, { retry: { tries: cuts.length, pauseMs: 0 } });
        const imported = await cut.repo.import('ada', `copy-${copies}`, bytesOf(text));
        expect(imported).toMatchObject({ repoSeq: 8, recordCount: 2_511 });
        expect(withoutSource(await exportOf(client, `copy-${copies}`))).toBe(withoutSource(text));
      }),
      { numRuns: 5 },
    );
  });

  it('goes on when it is called again, and is told again that it is complete', async () => {
    const { client } = await openWorld(engine);
    const text = await exportText(client);
    await client.repo.create('ada', 'copy');
    const lines = text.split('\n');
    const header = JSON.parse(lines[0] ?? '') as ExportHeader;
    const { importId } = await client.import.begin('ada', 'copy', header);
    const sent = await client.import.append('ada', 'copy', importId, {
      offset: 0,
      lines: lines.slice(1, 4).join('\n'),
    });
    expect(sent).toEqual({ importId, offset: 3 });
    const told: number[] = [];
    const onProgress = ({ rows }: ImportProgress) => told.push(rows);
    const imported = await client.repo.import('ada', 'copy', bytesOf(text), { onProgress });
    expect(told[0]).toBe(3);
    expect(imported).toMatchObject({ repoSeq: 7, recordCount: 11 });
    expect(await client.repo.import('ada', 'copy', bytesOf(text))).toEqual(imported);
  });

  it('names a wrong line, shows nothing of it, and is given up when that is asked', async () => {
    const { client } = await openWorld(engine);
    const lines = (await exportText(client)).split('\n');
    await client.repo.create('ada', 'copy');
    const wrong = lines.with(5, (lines[5] ?? '').replace('"fields":{}', '"fields":{"x":"number"}'));
    await expect(client.repo.import('ada', 'copy', bytesOf(wrong.join('\n')))).rejects.toMatchObject({
      message: expect.stringMatching(/line 6/i),
    });
    const cut = client.repo.import('ada', 'copy', bytesOf(lines.slice(0, 5).join('\n')));
    await expect(cut).rejects.toMatchObject({ message: expect.stringContaining('The export is incomplete') });
    expect((await client.thing.head('ada', 'copy')).items).toEqual([]);
    const submitting = client.commit.submit('ada', 'copy', {
      operations: [{ kind: 'shape', name: 'A', data: { fields: {} } }],
    });
    await expect(submitting).rejects.toMatchObject({ code: 'CONFLICT' });
    await client.repo.abortImport('ada', 'copy');
    expect(await client.repo.import('ada', 'copy', bytesOf(lines.join('\n')))).toMatchObject({ recordCount: 11 });
    await expect(client.repo.import('ada', 'world', bytesOf(lines.join('\n')))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('stops when it is told to', async () => {
    const { client } = await openWorld(engine);
    await client.repo.create('ada', 'copy');
    const stopping = new AbortController();
    const onProgress = () => stopping.abort(new Error('enough'));
    const importing = client.repo.import('ada', 'copy', bytesOf(await exportText(client)), {
      signal: stopping.signal,
      onProgress,
    });
    await expect(importing).rejects.toThrow('enough');
  });
});
