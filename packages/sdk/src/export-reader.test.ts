// Exports as files hold them, read for an import.
import { describe, expect, it } from 'vitest';
import { listOf } from '../../../test/support/sdk-world.ts';
import { type ReadPart, readExport } from './import.ts';

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
    // What an editor does to the end of a file changes nothing.
    expect(await read(lines.join('\n'))).toEqual(parts);
    expect(await read(`${lines.join('\n')}\n\n`)).toEqual(parts);
    expect(await read([line(HEADER), '{ "type": "end", "recordCount": 0 }'].join('\n'))).toHaveLength(2);
  });

  it('is no path of a file', async () => {
    const path = 'world.ndjson' as unknown as ReadableStream;
    await expect(listOf(readExport(path))).rejects.toThrow(
      'An export is read from bytes, such as those of createReadStream',
    );
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
    ['', 'there is none that does'],
    [row('a'), 'Line 1 is not the header of an export'],
    ['PK\u0003\u0004', 'Line 1 is not the header of an export'],
    [line(HEADER), 'there is none that does: this file was cut'],
    [[line(HEADER), row('a')].join('\n'), 'after 2 lines there is none that does'],
    [[line(HEADER), end(0), row('a')].join('\n'), 'Line 3 stands after the one that says that the export is complete'],
    [
      [line(HEADER), end(0), line(HEADER), end(0)].join('\n'),
      'Line 3 stands after the one that says that the export is complete',
    ],
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
