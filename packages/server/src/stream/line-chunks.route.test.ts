import { PassThrough, Readable } from 'node:stream';
import { DEFAULT_LIMITS, type Limits } from '@cairn/protocol/limits';
import { describe, expect, it } from 'vitest';
import { LineChunks } from './line-chunks.route.ts';
import type { LineChunk } from './submission.ts';

const HOUR_MS = 3_600_000;

function open(body: Readable, limits: Partial<Limits> = {}, offset = 0) {
  const stopping = new AbortController();
  const all = { ...DEFAULT_LIMITS, streamChunkMs: HOUR_MS, streamIdleMs: HOUR_MS, ...limits };
  return { chunks: new LineChunks({ body, limits: all, offset, stopping: stopping.signal }), stopping };
}

const textOf = (chunk: LineChunk | undefined) => chunk && new TextDecoder().decode(chunk.bytes);

describe('chunks of lines', () => {
  it('are given when they have all their lines, and to the end of the body', async () => {
    const { chunks } = open(Readable.from([Buffer.from('a\nb\nc\nd\ne')]), { streamChunkLines: 2 });
    expect(textOf(await chunks.next())).toBe('a\nb\n');
    expect(textOf(await chunks.next())).toBe('c\nd\n');
    expect(textOf(await chunks.next())).toBe('e\n');
    expect(await chunks.next()).toBeUndefined();
  });

  it('are given when they have all their bytes', async () => {
    const body = new PassThrough();
    const { chunks } = open(body, { streamChunkBytes: 6 });
    body.write('aa\nbb\ncc');
    expect(textOf(await chunks.next())).toBe('aa\nbb\n');
  });

  it('are given after a time, without the line that has begun', async () => {
    const body = new PassThrough();
    const { chunks } = open(body, { streamChunkMs: 5 });
    body.write('a\nb');
    expect(textOf(await chunks.next())).toBe('a\n');
    body.write('b\n');
    expect(textOf(await chunks.next())).toBe('bb\n');
    body.end();
    expect(await chunks.next()).toBeUndefined();
  });

  it('gather what comes while the one before is applied', async () => {
    const body = new PassThrough();
    const { chunks } = open(body, { streamChunkMs: 1 });
    body.write('a\n');
    expect(textOf(await chunks.next())).toBe('a\n');
    for (const line of ['b\n', 'c\n', 'd\n']) {
      body.write(line);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(textOf(await chunks.next())).toBe('b\nc\nd\n');
  });

  it('are read no further ahead than one of them', async () => {
    let made = 0;
    const body = new Readable({
      highWaterMark: 1,
      read() {
        made += 1;
        this.push('line\n');
      },
    });
    const { chunks } = open(body, { streamChunkLines: 10 });
    for (let taken = 1; taken <= 5; taken++) {
      expect((await chunks.next())?.lineCount).toBe(10);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(made).toBeLessThanOrEqual((taken + 1) * 10 + 2);
    }
    chunks.close();
  });

  it('end before a line that is too long, of which little is read', async () => {
    let made = 0;
    const body = new Readable({
      read() {
        made += 1;
        this.push(made === 1 ? Buffer.from('a\nb\n') : Buffer.alloc(65_536, 'x'));
        if (made > 1_600) this.push(null);
      },
    });
    const { chunks } = open(body, {}, 40);
    expect(textOf(await chunks.next())).toBe('a\nb\n');
    await expect(chunks.next()).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { line: 43 } });
    expect(made).toBeLessThan(30);
  });

  it('are none for what was cut', async () => {
    for (const error of [new Error('reset'), undefined]) {
      const body = new PassThrough();
      const { chunks } = open(body);
      body.write('a\nb\nc');
      const next = chunks.next();
      body.destroy(error);
      await expect(next).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      await expect(chunks.next()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
    const gone = new PassThrough();
    gone.destroy();
    await expect(open(gone).chunks.next()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('end when nothing comes, after the lines that did', async () => {
    const body = new PassThrough();
    const { chunks } = open(body, { streamIdleMs: 20 });
    body.write('a\nb');
    expect(textOf(await chunks.next())).toBe('a\n');
    await expect(chunks.next()).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  it('do not end for one that nobody takes', async () => {
    const body = new PassThrough();
    const { chunks } = open(body, { streamIdleMs: 5, streamChunkLines: 1 });
    body.end('a\nb\n');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(textOf(await chunks.next())).toBe('a\n');
    expect(textOf(await chunks.next())).toBe('b\n');
    expect(await chunks.next()).toBeUndefined();
  });

  it('are no more when the server stops', async () => {
    const body = new PassThrough();
    const { chunks, stopping } = open(body);
    body.write('a\n');
    const next = chunks.next();
    stopping.abort();
    await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
    expect(body.destroyed).toBe(false);
  });
});
