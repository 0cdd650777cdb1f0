// Joins screenshots of one size into an animated PNG, which browsers and GitHub play.
import { crc32 } from 'node:zlib';

const SIGNATURE_BYTES = 8;
/** Type and length before the data of a chunk, and a checksum behind it. */
const FRAME_BYTES = 12;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

interface Frame {
  readonly png: Buffer;
  readonly shownMs: number;
}

export function animate(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new Error('An animation needs a frame.');
  const header = readChunks(first.png).find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(0);
  const chunks: Chunk[] = [
    { type: 'IHDR', data: header },
    { type: 'acTL', data: numbers(frames.length, 0) },
  ];
  let sequence = 0;
  for (const { png, shownMs } of frames) {
    const pieces = readChunks(png);
    if (pieces.find(({ type }) => type === 'IHDR')?.data.equals(header) !== true)
      throw new Error('All frames of an animation need the same size and color type.');
    const control = Buffer.concat([numbers(sequence++), header.subarray(0, 8), numbers(0, 0), delay(shownMs)]);
    chunks.push({ type: 'fcTL', data: control });
    const isFirst = png === first.png;
    for (const { data } of pieces.filter(({ type }) => type === 'IDAT'))
      chunks.push(
        isFirst ? { type: 'IDAT', data } : { type: 'fdAT', data: Buffer.concat([numbers(sequence++), data]) },
      );
  }
  chunks.push({ type: 'IEND', data: Buffer.alloc(0) });
  return Buffer.concat([first.png.subarray(0, SIGNATURE_BYTES), ...chunks.map(writeChunk)]);
}

function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + FRAME_BYTES;
  }
  return chunks;
}

function writeChunk({ type, data }: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), named, numbers(crc32(named))]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** A fraction of a second, then two zeros: the next frame replaces all of this one. */
function delay(ms: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(ms, 0);
  bytes.writeUInt16BE(1_000, 2);
  return bytes;
}
