// Streams into a real server, over connections that really break.
import { array, assert, asyncProperty, integer, record } from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { startProxy } from '../../../test/support/proxy.ts';
import { openWorld } from '../../../test/support/sdk-world.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { IS_LONG } from '../../../test/support/suite.ts';
import { type CairnClient, CairnError, type RefusedStreamLine, type StreamProgress } from './index.ts';

async function openStreams(engine: (typeof UPPER_ENGINES)[number]) {
  const world = await openWorld(engine);
  return world;
}

const roomsOf = (count: number, prefix = 'n') =>
  Array.from({ length: count }, (_, index) => ({ name: `Room/${prefix}-${index}`, data: { size: index } }));
const bytesOf = (operations: readonly object[]) =>
  Buffer.from(operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''));

async function sizesOf(client: CairnClient, prefix: string): Promise<unknown[]> {
  const sizes: unknown[] = [];
  for await (const { data } of client.thing.query('ada', 'world', { match: `Room/${prefix}-*`, limit: 500 }))
    sizes.push((data as { size: number }).size);
  return sizes;
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ code }: CairnError) => code,
  );

describe.each(UPPER_ENGINES)('client.repo.stream on %s', (engine) => {
  it('applies each line, and tells how far it is', async () => {
    const { client } = await openStreams(engine);
    const bytes = bytesOf(roomsOf(2_500));
    const told: StreamProgress[] = [];
    const onProgress = (progress: StreamProgress) => told.push(progress);
    const result = await client.repo.stream('ada', 'world', [bytes], { onProgress, message: 'Many rooms' });
    const counts = { offset: 2_500, applied: 2_500, noop: 0, error: 0, repoSeq: expect.any(Number) };
    expect(result).toEqual({ streamId: expect.any(String), ...counts });
    expect(told.at(-1)).toEqual({ ...counts, bytes: bytes.length });
    expect(told.length).toBeGreaterThan(2);
    expect(await client.stream.status('ada', 'world', result.streamId)).toMatchObject({ ...counts, state: 'closed' });
    expect((await client.commit.get('ada', 'world', result.repoSeq)).message).toBe('Many rooms');
    expect(await sizesOf(client, 'n')).toEqual(Array.from({ length: 2_500 }, (_, size) => size));
  });

  it('tells refused lines as they were sent, and applies the others', async () => {
    const { client } = await openStreams(engine);
    const lines = [
      '{"name":"Room/x","data":{"size":1}}',
      '',
      '{"name":"Room/y","data":{"size":"größer"}}',
      '{"name":"Room/x","data":{}}',
    ];
    const refused: RefusedStreamLine[] = [];
    const onRefused = (line: RefusedStreamLine) => refused.push(line);
    const result = await client.repo.stream('ada', 'world', lines, { onRefused });
    expect(result).toMatchObject({ offset: 4, applied: 1, noop: 0, error: 2 });
    expect(refused).toMatchObject([
      { line: 3, code: 'SHAPE_MISMATCH', text: lines[2] },
      { line: 4, code: 'ALREADY_EXISTS', text: lines[3] },
    ]);
    const skipped = await client.repo.stream('ada', 'world', lines, { skipExisting: true, onRefused });
    expect(skipped).toMatchObject({ applied: 0, noop: 2, error: 1 });
  });

  it('applies every line once, in order, and tells each refusal once, whatever is cut and however often', async () => {
    const { url, client, through } = await openStreams(engine);
    let streams = 0;
    const cut = record({ request: integer({ min: 100, max: 60_000 }), answer: integer({ min: 1, max: 900 }) });
    await assert(
      asyncProperty(array(cut, { maxLength: 8 }), integer({ min: 1, max: 3_000 }), async (cuts, count) => {
        streams += 1;
        const proxy = await startProxy(url, {
          cutAfter: (nth) => (nth % 2 === 0 ? undefined : cuts[nth]?.answer),
          cutRequestAfter: (nth) => (nth % 2 === 0 ? cuts[nth]?.request : undefined),
        });
        const cutting = through(proxy.url, { retry: { tries: cuts.length + 1, pauseMs: 1 } });
        const upload = streams % 3 === 0 ? 'requests' : 'stream';
        const rooms = roomsOf(count, `s${streams}`).map((room, index) =>
          index % 7 === 3 ? { ...room, data: 3 } : room,
        );
        const refused: RefusedStreamLine[] = [];
        const source = streams % 2 === 0 ? [bytesOf(rooms)] : rooms;
        const result = await cutting.repo.stream('ada', 'world', source, {
          upload,
          onRefused: (line) => refused.push(line),
        });
        const wrong = rooms.flatMap((room, index) =>
          room.data === 3 ? [{ line: index + 1, text: JSON.stringify(room) }] : [],
        );
        expect(refused).toMatchObject(wrong);
        expect(result).toMatchObject({ offset: count, applied: count - wrong.length, error: wrong.length });
        const sizes = await sizesOf(client, `s${streams}`);
        expect(sizes).toEqual(Array.from({ length: count }, (_, size) => size).filter((size) => size % 7 !== 3));
      }),
      // Shrinking to a smaller case would take minutes.
      { numRuns: IS_LONG ? 10 : 4, endOnFailure: true },
    );
  });

  it('goes on under its name after it was given up, from any source', async () => {
    const { url, client, through } = await openStreams(engine);
    const rooms = roomsOf(6_000);
    const proxy = await startProxy(url, {});
    const stopped = Promise.withResolvers<void>();
    async function* waiting() {
      yield* rooms.slice(0, 3_000);
      await stopped.promise;
      yield* rooms.slice(3_000);
    }
    const onProgress = () => {
      proxy.stop();
      stopped.resolve();
    };
    const broken = await through(proxy.url)
      .repo.stream('ada', 'world', waiting(), { streamId: 'rooms', onProgress })
      .catch((error: unknown) => error);
    if (!(broken instanceof CairnError)) throw new Error('it was not cut');
    expect(broken).toMatchObject({ code: 'NETWORK_ERROR', details: { streamId: 'rooms', offset: expect.any(Number) } });
    const { offset, state } = await client.stream.status('ada', 'world', 'rooms');
    expect([state, offset > 0]).toEqual(['open', true]);
    const result = await client.repo.stream('ada', 'world', [bytesOf(rooms)], { streamId: 'rooms' });
    expect(result).toMatchObject({ streamId: 'rooms', offset: 6_000, applied: 6_000, error: 0 });
    expect(await sizesOf(client, 'n')).toEqual(rooms.map(({ data }) => data.size));
    expect(await client.repo.stream('ada', 'world', rooms, { streamId: 'rooms' })).toEqual(result);
    expect(await client.stream.close('ada', 'world', 'rooms')).toMatchObject({ state: 'closed', offset: 6_000 });
    expect(await refusal(client.repo.stream('ada', 'world', rooms, { streamId: 'rooms' }))).toBe('CONFLICT');
  });

  it('tells what was refused while nobody listened, where that is asked for', async () => {
    const { client } = await openStreams(engine);
    const lines = bytesOf(roomsOf(3_000)).toString('utf8').split('\n').slice(0, -1);
    const wrong = lines.map((line, index) => (index < 1_500 ? '{"name":"Nowhere/a","data":{}}' : line));
    await client.repo.stream('ada', 'world', wrong.slice(0, 2_500), { streamId: 'unheard' });
    for (const source of [wrong, (offset: number) => wrong.slice(offset)]) {
      const refused: RefusedStreamLine[] = [];
      const onRefused = (line: RefusedStreamLine) => refused.push(line);
      await client.repo.stream('ada', 'world', source, { streamId: 'unheard', refusedAfter: 100, onRefused });
      expect(refused.map(({ line }) => line)).toEqual(Array.from({ length: 1_400 }, (_, index) => 101 + index));
      expect(refused.every(({ text }) => text === wrong[0])).toBe(true);
    }
    const { offset, refused } = await client.stream.status('ada', 'world', 'unheard', { refusedAfter: 1_499 });
    expect([offset, refused]).toEqual([3_000, [expect.objectContaining({ line: 1_500 })]]);
  });

  it('lets one of two writers on one stream go on, and doubles nothing', async () => {
    const { client } = await openStreams(engine);
    const rooms = roomsOf(20_000);
    const options = { streamId: 'both' };
    const both = await Promise.allSettled([
      client.repo.stream('ada', 'world', rooms, options),
      client.repo.stream('ada', 'world', rooms, options),
    ]);
    const failed = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(failed).toMatchObject(failed.map(() => ({ code: 'CONFLICT', details: { reason: 'offset' } })));
    // Both fail only if each had a chunk applied before the other.
    await client.repo.stream('ada', 'world', rooms, options);
    expect(failed.length).toBeGreaterThan(0);
    expect(await client.stream.status('ada', 'world', 'both')).toMatchObject({
      offset: 20_000,
      applied: 20_000,
      error: 0,
    });
  });

  it('ends at a line that is no JSON, keeps what came before, and goes on once it is mended', async () => {
    const { client } = await openStreams(engine);
    const lines = bytesOf(roomsOf(1_200)).toString('utf8').split('\n').slice(0, -1);
    const wrong = lines.with(1_100, '{"name":');
    const broken = client.repo.stream('ada', 'world', wrong, { streamId: 'mended' });
    await expect(broken).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: expect.anything() });
    expect(await client.stream.status('ada', 'world', 'mended')).toMatchObject({ offset: 1_100, applied: 1_100 });
    expect(await client.repo.stream('ada', 'world', lines, { streamId: 'mended' })).toMatchObject({ applied: 1_200 });
  });

  it('ends with a chunk that is refused, where chunks are all or none', async () => {
    const { client } = await openStreams(engine);
    const operations = [...roomsOf(3), { name: 'Room/n-1', data: {} }];
    const broken = client.repo.stream('ada', 'world', operations, { streamId: 'whole', atomicity: 'chunk' });
    await expect(broken).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await client.stream.status('ada', 'world', 'whole')).toMatchObject({ offset: 0, applied: 0 });
  });

  it('keeps tokens over the lines of a stream', async () => {
    const { client } = await openStreams(engine);
    const operations = [
      { name: 'Room/new-$1', data: {} },
      { name: 'Sensor/in-new', data: { room: '#1' } },
    ];
    expect(await client.repo.stream('ada', 'world', operations)).toMatchObject({ applied: 2 });
  });

  it('says what to do where the repository takes no streams, and does not ask again', async () => {
    const { url, client, through } = await openWorld(engine);
    await client.repo.configure('ada', 'world', { features: { streamSubmissions: false } });
    const requests = vi.fn(fetch);
    const watched = through(url, { fetch: requests });
    for (const repoName of ['world', 'nowhere']) {
      const refused = watched.repo.stream('ada', repoName, roomsOf(1));
      await expect(refused).rejects.toMatchObject({
        code: 'NOT_FOUND',
        hint: expect.stringContaining('repo.configure'),
      });
    }
    expect(requests).toHaveBeenCalledTimes(2);
    await client.repo.configure('ada', 'world', { features: { streamSubmissions: true } });
    expect(await watched.repo.stream('ada', 'world', roomsOf(1))).toMatchObject({ applied: 1 });
  });
});
