// Chunks of submissions through a real server.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { linesOf } from '../../../../test/support/stream.ts';
import { countRooms, rooms, startSubmissions, Upload, WORLD } from '../../../../test/support/submission.ts';

const REPO = ['ada', 'world'] as const;
const shapeOf = (name: string) => ({ kind: 'shape', name, data: { fields: { 'n?': 'number', 'to?': ['wref'] } } });

describe.each(UPPER_ENGINES)('chunks of a submission on %s', (engine) => {
  it('are written in several commits where one cannot hold them, and acknowledged as one', async () => {
    const { url, token } = await startSubmissions(engine);
    const client = new CairnClient({ url, token });
    const links = (name: string, count: number) => ({ name: `T/${name}`, data: { to: Array(count).fill('T/self') } });
    const lines = [
      shapeOf('T'),
      { name: 'T/self', data: {} },
      ...Array.from({ length: 40 }, (_, n) => links(`l${n}`, 300)),
      links('beyond', 50_001),
      ...Array.from({ length: 250 }, (_, n) => shapeOf(`S${n}`)),
      { name: 'S249/last', data: { n: 1 } },
    ];
    const upload = new Upload(url, { token }).end(linesOf(lines));
    const told = await upload.rest();
    const counts = { applied: lines.length - 1, noop: 0, error: 1 };
    expect(told).toMatchObject([
      { type: 'ack', offset: lines.length, ...counts, errors: [{ line: 43, code: 'PAYLOAD_TOO_LARGE' }] },
      { type: 'end', offset: lines.length, ...counts },
    ]);
    const { repoSeq } = await client.repo.get(...REPO);
    expect(told.map((line) => 'repoSeq' in line && line.repoSeq)).toEqual([repoSeq, repoSeq]);
    expect(repoSeq).toBeGreaterThan(3);
    expect(await client.thing.count(...REPO, { kind: 'thing' })).toMatchObject({ count: 42 });
  });

  it('wait for the one before, however many commits that takes', async () => {
    const { url, token } = await startSubmissions(engine, { CAIRN_LIMIT_STREAM_CHUNK_LINES: '30' });
    const client = new CairnClient({ url, token });
    const links = (n: number) => ({ name: `T/${n}`, data: { n, to: Array(n % 7 === 0 ? 1 : 400).fill('T/self') } });
    const lines = [shapeOf('T'), { name: 'T/self', data: {} }, ...Array.from({ length: 238 }, (_, n) => links(n))];
    const told = await new Upload(url, { token }).end(linesOf(lines)).rest();
    const acks = told.filter(({ type }) => type === 'ack');
    expect(acks.map(({ offset }) => offset)).toEqual([30, 60, 90, 120, 150, 180, 210, 240]);
    expect(told.at(-1)).toMatchObject({ type: 'end', offset: 240, applied: 240, error: 0 });
    const order = [];
    for await (const { name } of client.thing.query(...REPO, { shape: 'T', fields: ['n'] })) order.push(name);
    expect(order).toEqual(['T/self', ...Array.from({ length: 238 }, (_, n) => `T/${n}`)]);
  });

  it('end with a line that is no JSON, whatever was sent after it', async () => {
    const { url, token, call } = await startSubmissions(engine, { CAIRN_LIMIT_STREAM_CHUNK_LINES: '10' });
    const upload = new Upload(url, { token }).end(`${rooms(0, 15)}nonsense\n${rooms(15, 100)}`);
    const told = await upload.rest();
    expect(told.map(({ type, offset }) => [type, offset])).toEqual([
      ['ack', 10],
      ['ack', 15],
      ['error', 15],
    ]);
    expect(told.at(-1)).toMatchObject({ line: 16, code: 'VALIDATION_ERROR' });
    expect(await countRooms(call)).toBe(15);
    expect(await call('stream.status', { ...WORLD, streamId: 's' })).toMatchObject({ offset: 15, applied: 15 });
  });

  it('see what a chunk before them changed, although they are read while it is applied', async () => {
    const { url, token } = await startSubmissions(engine);
    const client = new CairnClient({ url, token });
    const stream = new Upload(url, { token });
    const strict = (type: string) => ({ kind: 'shape', name: 'T', data: { fields: { n: type } } });
    const revised = (type: string) => ({ ...strict(type), operation: 'revise' });
    const rounds = Array.from({ length: 6 }, (_, round) => [
      round === 0 ? strict('number') : revised(round % 2 === 0 ? 'number' : 'string'),
      { name: `T/number-${round}`, data: { n: round } },
      { name: `T/string-${round}`, data: { n: String(round) } },
    ]);
    const text = linesOf(rounds.flat());
    stream.send(text.slice(0, 60));
    const first = stream.next();
    for (let from = 60; from < text.length; from += 90) stream.send(text.slice(from, from + 90));
    expect(await first).toMatchObject({ type: 'ack' });
    stream.end();
    const last = (await stream.rest()).at(-1);
    expect(last).toMatchObject({ type: 'end', offset: 18, applied: 12, error: 6 });
    const names = [];
    for await (const { name } of client.thing.query(...REPO, { shape: 'T' })) names.push(name);
    expect(names).toEqual(rounds.map((_, round) => (round % 2 === 0 ? `T/number-${round}` : `T/string-${round}`)));
  });
});
