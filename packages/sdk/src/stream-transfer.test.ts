// Transfers of streams to a server whose behavior the test sets.
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { type StreamSink, startStreamSink } from '../../../test/support/stream-sink.ts';
import { CairnClient, type RetryOptions, type StreamOptions, type StreamSource } from './index.ts';

const linesOf = (count: number, first = 1) => Array.from({ length: count }, (_, index) => `{"n":${first + index}}`);
const bytesOf = (lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`);

function streamTo({ url }: StreamSink, source: StreamSource, options: StreamOptions = {}, retry: RetryOptions = {}) {
  return new CairnClient({ url, retry: { pauseMs: 0, ...retry } }).repo.stream('acme', 'world', source, options);
}

describe('what a source gives', () => {
  const lines = ['{"n":1}', '{"n":"größer 🪨"}', '', '{"n":3}'];
  const bytes = Buffer.from(lines.join('\n'));
  const sources: [string, () => StreamSource, string[]][] = [
    ['objects', () => lines.filter((line) => line !== '').map((line) => JSON.parse(line)), lines.toSpliced(2, 1)],
    ['lines', () => lines, lines],
    ['one text', () => [lines.join('\n')], lines],
    ['bytes, cut anywhere', () => Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)), lines],
    ['bytes, all at once', () => [bytes], lines],
    ['a file', () => new Blob([bytes]), lines],
    ['a file with a byte order mark', () => new Blob(['\uFEFF', bytes]), lines],
    ['a stream', () => new Blob([bytes]).stream(), lines],
    ['a function', () => (offset: number) => lines.slice(offset), lines],
    ['nothing', () => [], []],
    [
      'an async iterable',
      async function* () {
        for (const line of lines) yield await Promise.resolve(line);
      },
      lines,
    ],
  ];

  it.each(sources)('is sent line by line: %s', async (_, source, expected) => {
    const sink = await startStreamSink();
    const given = source();
    const result = await streamTo(sink, given);
    expect(sink.lines).toEqual(expected);
    const { length } = expected;
    const repoSeq = length === 0 ? 0 : 1;
    expect(result).toEqual({
      streamId: expect.any(String),
      offset: length,
      applied: length,
      noop: 0,
      error: 0,
      repoSeq,
    });
  });

  it('is sent soon, though more may come later', async () => {
    const sink = await startStreamSink();
    const more = Promise.withResolvers<void>();
    async function* slow() {
      yield { n: 1 };
      await more.promise;
      yield { n: 2 };
    }
    const streaming = streamTo(sink, slow());
    await vi.waitUntil(() => sink.lines.length === 1, PATIENCE_MS);
    more.resolve();
    expect(await streaming).toMatchObject({ offset: 2 });
    expect(sink.requests).toHaveLength(1);
  });

  it('is waited for without holding a connection open', async () => {
    const sink = await startStreamSink();
    const more = Promise.withResolvers<void>();
    async function* slow() {
      yield { n: 1 };
      await more.promise;
      yield { n: 2 };
    }
    const ended = new Promise<void>((resolve) => {
      sink.onEnd = resolve;
    });
    const streaming = streamTo(sink, slow(), {}, { silenceMs: 300 });
    await ended;
    more.resolve();
    expect(await streaming).toMatchObject({ offset: 2 });
    expect(sink.requests).toHaveLength(2);
  });

  it('fails as it fails, after what came before was sent', async () => {
    const sink = await startStreamSink();
    function* broken() {
      yield bytesOf(linesOf(9_000));
      throw new Error('the disk is gone');
    }
    await expect(streamTo(sink, broken())).rejects.toThrow('the disk is gone');
    expect(sink.lines).toHaveLength(9_000);
    await expect(streamTo(sink, [undefined as unknown as object])).rejects.toThrow('this one yielded undefined');
  });
});

describe('the backlog', () => {
  it('holds back the source while nothing is acknowledged', async () => {
    const acknowledging = Promise.withResolvers<void>();
    const sink = await startStreamSink({ before: () => acknowledging.promise });
    let given = 0;
    function* endless() {
      for (; given < 100_000; given += 1) yield { n: given, text: 'x'.repeat(100) };
    }
    const stopping = new AbortController();
    const streaming = streamTo(sink, endless(), { signal: stopping.signal });
    await vi.waitUntil(() => given >= 10_000, PATIENCE_MS);
    // Any further reads would have happened by then.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(given).toBeLessThan(12_000);
    acknowledging.resolve();
    expect(await streaming).toMatchObject({ offset: 100_000 });
  });

  it('lets go of the source when it is aborted', async () => {
    const sink = await startStreamSink();
    const released = vi.fn();
    async function* endless() {
      try {
        for (let n = 0; ; n += 1) yield await Promise.resolve({ n });
      } finally {
        released();
      }
    }
    const stopping = new AbortController();
    const onProgress = () => stopping.abort(new Error('enough'));
    await expect(streamTo(sink, endless(), { signal: stopping.signal, onProgress })).rejects.toThrow('enough');
    await vi.waitUntil(() => released.mock.calls.length === 1, PATIENCE_MS);
    await expect(streamTo(sink, [{}], { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    const waiting = new AbortController();
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const streaming = streamTo(sink, never, { signal: waiting.signal });
    waiting.abort(new Error('waited enough'));
    await expect(streaming).rejects.toThrow('waited enough');
  });
});

describe('bounded requests', () => {
  it('are sent where that is asked for, one after the other', async () => {
    const sink = await startStreamSink();
    const lines = linesOf(200_000);
    const progress: number[] = [];
    const onProgress = ({ bytes }: { bytes: number }) => progress.push(bytes);
    const bytes = bytesOf(lines);
    expect(await streamTo(sink, [bytes], { upload: 'requests', onProgress })).toMatchObject({ offset: 200_000 });
    expect(sink.lines).toEqual(lines);
    expect(sink.requests.length).toBeGreaterThan(2);
    expect(progress.at(-1)).toBe(bytes.length);
  });

  it('take the place of a streamed one whose acknowledgements do not come through', async () => {
    const sink = await startStreamSink({ tells: () => 'late' });
    const lines = linesOf(50_000);
    expect(await streamTo(sink, [bytesOf(lines)], {}, { silenceMs: 600 })).toMatchObject({ offset: 50_000 });
    expect(sink.lines).toEqual(lines);
    expect(sink.requests.length).toBeGreaterThan(2);
  });
});

describe('after a cut', () => {
  it('a connection on which nothing comes is given up, and the stream goes on by another', async () => {
    const sink = await startStreamSink({ tells: ({ nth }) => (nth === 0 ? 'never' : 'soon') });
    const result = await streamTo(sink, linesOf(3_000), {}, { silenceMs: 100 });
    expect(result).toMatchObject({ offset: 3_000 });
    expect(sink.lines).toEqual(linesOf(3_000));
  });

  it('a chunk of the connection that was cut may still be applied', async () => {
    // The first connection is given up before its lines are applied. They are applied after the second has arrived.
    const late = Promise.withResolvers<void>();
    const sink = await startStreamSink({
      before: async ({ nth, sink }) => {
        if (nth === 0) await late.promise;
        if (nth !== 1) return;
        late.resolve();
        await vi.waitUntil(() => sink.lines.length > 0, PATIENCE_MS);
      },
    });
    expect(await streamTo(sink, linesOf(3), {}, { silenceMs: 100 })).toMatchObject({ offset: 3 });
    expect(sink.lines).toEqual(linesOf(3));
    expect(sink.requests).toHaveLength(2);
  });

  it('what another process has sent is not fought for', async () => {
    const sink = await startStreamSink();
    sink.lines.push('{"n":1}');
    await expect(streamTo(sink, linesOf(3))).rejects.toMatchObject({ code: 'CONFLICT', details: { offset: 1 } });
    expect(sink.requests).toHaveLength(1);
  });
});

describe('a stream with a name', () => {
  it('goes on after what is durable, and is not closed', async () => {
    const sink = await startStreamSink();
    sink.lines.push(...linesOf(1_500));
    const offsets: number[] = [];
    const open = (offset: number) => {
      offsets.push(offset);
      return linesOf(500, offset + 1);
    };
    expect(await streamTo(sink, open, { streamId: 's' })).toMatchObject({ streamId: 's', offset: 2_000 });
    expect(offsets).toEqual([1_500]);
    expect(await streamTo(sink, [bytesOf(linesOf(4_000))], { streamId: 's' })).toMatchObject({ offset: 4_000 });
    expect(sink.lines).toEqual(linesOf(4_000));
    const sent = sink.requests.length;
    expect(await streamTo(sink, linesOf(4_000), { streamId: 's' })).toMatchObject({ offset: 4_000, applied: 4_000 });
    expect(sink.requests.length).toBe(sent);
    await expect(streamTo(sink, linesOf(10), { streamId: 's' })).rejects.toThrow('has 4000 lines already');
    expect(sink.isClosed).toBe(false);
    await streamTo(sink, linesOf(4_001), { streamId: 's', close: true });
    expect(sink.isClosed).toBe(true);
    await expect(streamTo(sink, [], { streamId: 's' })).rejects.toMatchObject({ details: { reason: 'closed' } });
  });

  it('is told, and closed where it had none before', async () => {
    const sink = await startStreamSink();
    const told: string[] = [];
    const { streamId } = await streamTo(sink, [{}], { onBegin: (id) => told.push(id) });
    expect(told).toEqual([streamId]);
    expect(sink.isClosed).toBe(true);
    const open = await startStreamSink();
    await streamTo(open, [{}], { close: false });
    expect(open.isClosed).toBe(false);
  });
});

it('tells each refused line, as it was sent', async () => {
  const sink = await startStreamSink();
  const lines = linesOf(5_000).map((line, index) => (index % 7 === 3 ? '{"refuse": "größer"}' : line));
  const refused: [number, string][] = [];
  await streamTo(sink, [bytesOf(lines)], { onRefused: ({ line, text }) => refused.push([line, text]) });
  const expected = lines.flatMap((text, index) => (text.includes('refuse') ? [[index + 1, text]] : []));
  expect(refused).toEqual(expected);
});
