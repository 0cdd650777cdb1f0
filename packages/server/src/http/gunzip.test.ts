import { PassThrough, Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { CairnError } from '@cairn/protocol/errors';
import { describe, expect, it } from 'vitest';
import { gunzipped } from './exchange.ts';

const TEXT = Array.from({ length: 20_000 }, (_, n) => `{"name":"Room/${n}","data":{"n":${n * 7919}}}\n`).join('');
const PACKED = gzipSync(TEXT);

interface Unpacked {
  readonly text: string;
  readonly error: CairnError | undefined;
}

async function unpack(pieces: readonly Uint8Array[]): Promise<Unpacked & { body: Readable }> {
  const body = new PassThrough();
  const unpacked = gunzipped(body, 250);
  const sending = send(body, pieces);
  let text = '';
  try {
    for await (const piece of unpacked) text += String(piece);
    return { text, error: undefined, body };
  } catch (error) {
    if (!(error instanceof CairnError)) throw error;
    return { text, error, body };
  } finally {
    await sending;
  }
}

async function send(body: PassThrough, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    body.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  body.end();
}

const inPieces = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));

describe('a packed body', () => {
  it.each([
    ['whole', [PACKED]],
    ['in pieces', inPieces(PACKED, 1_000)],
    ['byte by byte', inPieces(gzipSync('a\n'), 1)],
    ['of several files', [Buffer.concat([gzipSync('a\n'), gzipSync('b\n')])]],
    ['of nothing', [gzipSync('')]],
  ])('is unpacked: %s', async (name, pieces) => {
    const { text, error } = await unpack(pieces);
    const expected = { 'byte by byte': 'a\n', 'of several files': 'a\nb\n', 'of nothing': '' }[name] ?? TEXT;
    expect([text, error]).toEqual([expected, undefined]);
  });

  it.each([
    ['no gzip', [Buffer.from('{"name":"Room/a"}\n')]],
    ['nothing at all', []],
    ['cut within the data', inPieces(PACKED.subarray(0, PACKED.length / 2), 1_000)],
    ['cut within the check sum', [PACKED.subarray(0, -3)]],
    [
      'damaged in the middle',
      [Buffer.concat([PACKED.subarray(0, 20_000), Buffer.alloc(50, 0xff), PACKED.subarray(20_050)])],
    ],
    ['followed by something else', [Buffer.concat([PACKED, Buffer.from('{"name":"Room/a"}\n')])]],
    ['followed by something else, later', [PACKED, Buffer.from('{"name":"Room/a"}\n')]],
    ['followed by zeros and more', [Buffer.concat([PACKED, Buffer.alloc(10), PACKED])]],
  ])('is refused: %s', async (_, pieces) => {
    const { error, body } = await unpack(pieces);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining('gzip') });
    expect(body.errored).toBeNull();
  });

  it.each([
    ['one endless line', 'x'],
    ['endless blank lines', '\n'],
  ])('is refused when it is many times larger than it seems: %s', async (_, byte) => {
    const many = Readable.from(
      (function* () {
        for (let n = 0; n < 1_000; n++) yield Buffer.alloc(1024 * 1024, byte);
      })(),
    );
    let unpackedBytes = 0;
    const unpacked = gunzipped(many.pipe(createGzip()), 250);
    unpacked.on('data', (piece: Buffer) => {
      unpackedBytes += piece.length;
    });
    const error = await new Promise((resolve) => unpacked.once('error', resolve));
    many.destroy();
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { maxRatio: 250 } });
    expect(unpackedBytes).toBeLessThan(100 * 1024 * 1024);
  });

  it('may be packed well', async () => {
    const line = `{"name":"Room/a","data":{"text":"${'lorem ipsum dolor sit amet '.repeat(20)}"}}\n`;
    const text = Array.from({ length: 5_000 }, (_, n) => line.replace('Room/a', `Room/${n}`)).join('');
    const packed = gzipSync(text);
    expect(text.length / packed.length).toBeGreaterThan(50);
    expect((await unpack([packed])).error).toBeUndefined();
  });
});
