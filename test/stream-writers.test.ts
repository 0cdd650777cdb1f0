// Two writers on one stream at once, on one server and on two that share a database. One writer continues, the other
// gets the current offset, and no line is applied twice.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { openStore } from '../packages/server/src/store.ts';
import { createOwnerToken, settingsOf, startServerProcess } from './support/server.ts';
import { ENGINES, preparedLocation } from './support/store.ts';
import { room, rooms, Upload } from './support/submission.ts';
import { amount, IS_LONG } from './support/suite.ts';

const REPO = ['ada', 'world'] as const;
/** The default suite uses PostgreSQL, the engine that several nodes can share. */
const NODE_ENGINES: readonly Engine[] = IS_LONG ? ENGINES : ['postgres'];
const LINES = amount('TWICE_STREAMED_LINES', { short: 1_000, long: 3_000 });

async function startNodes(engine: Engine) {
  const location = await preparedLocation(engine);
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  await store.close();
  const settings = {
    PORT: '0',
    CAIRN_LOG_LEVEL: 'silent',
    CAIRN_LIMIT_STREAM_CHUNK_LINES: '50',
    ...settingsOf(location),
  };
  const urls = await Promise.all(
    [1, 2].map(async () => {
      const server = startServerProcess(settings);
      const [, url = ''] = await server.printed(/is at (\S+) /);
      return url;
    }),
  );
  const clients = urls.map((url) => new CairnClient({ url, token })) as [CairnClient, CairnClient];
  const [client] = clients;
  await client.repo.create(...REPO);
  await client.commit.submit(...REPO, { operations: [{ kind: 'shape', name: 'Room', data: { fields: {} } }] });
  const names = async () => {
    const found = [];
    for await (const { name } of client.thing.query(...REPO, { kind: 'thing', limit: 500 })) found.push(name);
    return found;
  };
  const open = (node: 0 | 1, { streamId, offset = 0 }: { streamId: string; offset?: number }) =>
    new Upload(urls[node] ?? '', { token, streamId, query: `?offset=${offset}` });
  return { clients, names, open };
}

const conflictAt = (offset: number) => ({ code: 'CONFLICT', details: { reason: 'offset', offset } });

describe.each(NODE_ENGINES)('two writers on one stream on %s', (engine) => {
  it('take turns at best: who is late is told the offset, before the headers and after', async () => {
    const { open, names } = await startNodes(engine);
    for (const other of [0, 1] as const) {
      const streamId = `s${other}`;
      const first = open(0, { streamId }).send(room(`a${other}`));
      expect(await first.next()).toMatchObject({ type: 'ack', offset: 1, applied: 1 });
      const late = open(other, { streamId, offset: 0 }).end(room(`a${other}`));
      expect(await late.refusal()).toMatchObject({ status: 409, ...conflictAt(1) });
      // With the right offset it becomes the writer, and the first one is now out of date.
      const second = open(other, { streamId, offset: 1 }).end(room(`b${other}`));
      expect(await second.rest()).toMatchObject([
        { type: 'ack', offset: 2 },
        { type: 'end', offset: 2, applied: 2, error: 0 },
      ]);
      first.send(room(`b${other}`));
      expect(await first.rest()).toMatchObject([{ type: 'error', offset: 1, ...conflictAt(2) }]);
    }
    expect(await names()).toEqual(['Room/a0', 'Room/b0', 'Room/a1', 'Room/b1']);
  });

  it('may send the same lines at the same moment: those are applied once', async () => {
    const { open, names, clients } = await startNodes(engine);
    const streamId = 'race';
    for (let offset = 0; offset < 16; offset += 2) {
      const nodes = [0, 1, 0, 1, 0, 1] as const;
      const uploads = nodes.map((node) => open(node, { streamId, offset }).end(rooms(offset, offset + 2)));
      const statuses = await Promise.all(uploads.map((upload) => upload.status()));
      expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
      for (const [index, upload] of uploads.entries()) {
        if (statuses[index] === 409) expect(await upload.refusal()).toMatchObject(conflictAt(offset + 2));
        else expect((await upload.rest()).at(-1)).toMatchObject({ type: 'end', applied: offset + 2, error: 0 });
      }
    }
    expect(await names()).toEqual(Array.from({ length: 16 }, (_, n) => `Room/${n}`));
    expect(await clients[1].stream.status(...REPO, streamId)).toMatchObject({ offset: 16, applied: 16, error: 0 });
  });

  it('by the SDK end with one of them, and every line is applied once and in order', async () => {
    const { clients, names } = await startNodes(engine);
    const lines = Array.from({ length: LINES }, (_, n) => ({ name: `Room/${n}`, data: {} }));
    // The second writer joins after the first has begun, as when a program is started twice by mistake.
    let join = () => {};
    const begun = new Promise<void>((resolve) => {
      join = resolve;
    });
    const [one, other] = clients;
    const results = await Promise.allSettled([
      one.repo.stream(...REPO, lines, { streamId: 'twice', onProgress: join }),
      begun.then(() => other.repo.stream(...REPO, lines, { streamId: 'twice' })),
    ]);
    const [refused, ...more] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(more).toEqual([]);
    if (refused !== undefined) expect(refused).toMatchObject({ code: 'CONFLICT', details: { reason: 'offset' } });
    const done = results.filter((result) => result.status === 'fulfilled');
    for (const { value } of done) expect(value).toMatchObject({ offset: LINES, applied: LINES, noop: 0, error: 0 });
    expect(await names()).toEqual(lines.map(({ name }) => name));
  });
});
