// Streamed exports from a real server, over connections that really break.
import { array, assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseExport } from '../../../test/support/export.ts';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { exportText, listOf, openWorld, withoutTime } from '../../../test/support/sdk-world.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient, CairnError, type ExportPosition } from './index.ts';

describe.each(UPPER_ENGINES)('client.repo.export on %s', (engine) => {
  it('gives the header and the rows that the server sends', async () => {
    const { url, token, client } = await openWorld(engine);
    const answer = await fetch(`${url}/api/repos/ada/world/export`, { headers: { authorization: `Bearer ${token}` } });
    const sent = await answer.text();
    const { header, rows } = parseExport(sent);
    expect(withoutTime(await exportText(client))).toBe(withoutTime(sent));
    const stream = client.repo.export('ada', 'world');
    expect(await stream.header).toEqual({ ...header, exportedAt: expect.any(Number) });
    expect(await listOf(stream)).toEqual(rows);
    expect(await listOf(client.repo.export('ada', 'world', { sinceRepoSeq: 6 }))).toEqual(
      rows.filter(({ name, version }) => name === 'Sensor' && version === 3),
    );
    const first = client.repo.export('ada', 'world', { atRepoSeq: 1 });
    expect((await listOf(first)).map(({ name }) => name)).toEqual(['Room', 'Sensor', 'Claim']);
    expect(await first.header).toMatchObject({ atRepoSeq: 1 });
  });

  it('is whole and has no row twice, whatever is cut and however often', async () => {
    const { url, client, through } = await openWorld(engine);
    const whole = withoutTime(await exportText(client));
    const rows = await listOf(client.repo.export('ada', 'world'));
    await assert(
      asyncProperty(array(integer({ min: 1, max: 6_000 }), { maxLength: 12 }), async (cuts) => {
        const proxy = await startProxy(url, { cutAfter: (connection) => cuts[connection] });
        const cut = through(proxy.url, { retry: { tries: cuts.length, pauseMs: 0 } });
        expect(withoutTime(await exportText(cut))).toBe(whole);
        const again = await startProxy(url, { cutAfter: (connection) => cuts[connection] });
        expect(
          await listOf(through(again.url, { retry: { tries: cuts.length, pauseMs: 0 } }).repo.export('ada', 'world')),
        ).toEqual(rows);
      }),
      { numRuns: 25 },
    );
  });

  it('stays at its sequence over cuts, while commits go on', async () => {
    const { url, client, through } = await openWorld(engine);
    const whole = withoutTime(await exportText(client));
    const proxy = await startProxy(url, { cutAfter: (connection) => (connection < 3 ? 2_500 : undefined) });
    const lines: Uint8Array[] = [];
    for await (const part of through(proxy.url).repo.exportLines('ada', 'world')) {
      lines.push(part.lines);
      await client.commit.submit('ada', 'world', { operations: [{ name: 'Room/new-$1', data: {} }] });
    }
    expect(withoutTime(Buffer.concat(lines).toString('utf8'))).toBe(whole);
    expect(proxy.connections()).toBeGreaterThan(2);
  });

  it('gives up when nothing comes through any more, and says from where to go on', async () => {
    const { url, client, through } = await openWorld(engine);
    const whole = withoutTime(await exportText(client));
    const proxy = await startProxy(url, { cutAfter: () => 3_000, holds: true });
    const received: Uint8Array[] = [];
    const cut = await (async () => {
      for await (const part of through(proxy.url).repo.exportLines('ada', 'world')) {
        received.push(part.lines);
        if (part.type === 'rows') proxy.stop();
      }
    })().catch((error: unknown) => error);
    if (!(cut instanceof CairnError)) throw new Error('it was not cut');
    expect(cut).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('was interrupted after') });
    const { resume } = cut.details as { resume: ExportPosition };
    const rest = await exportText(client, { resume });
    expect(withoutTime(Buffer.concat(received).toString('utf8') + rest)).toBe(whole);
  });

  it('throws what the server refuses, and does not ask again', async () => {
    const { url, client, through } = await openWorld(engine);
    const refused = (promise: Promise<unknown>) => promise.catch(({ code }: CairnError) => code);
    const requests = vi.fn(fetch);
    const watched = through(url, { fetch: requests });
    expect(await refused(listOf(watched.repo.export('ada', 'nowhere')))).toBe('NOT_FOUND');
    expect(await refused(watched.repo.export('ada', 'world', { atRepoSeq: 99 }).header)).toBe('export-seq-unavailable');
    const [row] = await listOf(client.repo.export('ada', 'world'));
    const resume = { atRepoSeq: 7, formatVersion: 99, afterDurableId: row?.durableId ?? '' };
    expect(await refused(listOf(watched.repo.export('ada', 'world', { resume })))).toBe('export-format-mismatch');
    expect(requests).toHaveBeenCalledTimes(3);
    expect(await refused(listOf(new CairnClient({ url }).repo.export('ada', 'world')))).toBe('UNAUTHENTICATED');
  });

  it('goes on after a row that is known from before', async () => {
    const { client } = await openWorld(engine);
    const whole = await exportText(client);
    const { header, rows, lines } = parseExport(whole);
    for (const [index, { kind, durableId, version }] of rows.entries()) {
      const resume = {
        ...{ atRepoSeq: header.atRepoSeq, formatVersion: header.formatVersion, afterDurableId: durableId },
        ...(kind === 'shape' && { afterVersion: version }),
        recordCount: index + 1,
      };
      const end = `{"type":"end","recordCount":${rows.length}}`;
      const rest = [...lines.slice(index + 1), end].map((line) => `${line}\n`).join('');
      expect(await exportText(client, { resume })).toBe(rest);
    }
  });

  it('ends the request when the loop is left, and when it is aborted', async () => {
    const { url, client, through } = await openWorld(engine);
    // This exceeds the buffers in between: a request that ends by itself would prove nothing.
    const note = 'x'.repeat(700_000);
    for (const commit of [1, 2, 3]) {
      const operations = Array.from({ length: 10 }, (_, index) => ({
        name: `Room/${commit}-${index}`,
        data: { note },
      }));
      await client.commit.submit('ada', 'world', { operations });
    }
    const proxy = await startProxy(url, {});
    const { repo } = through(proxy.url);
    for await (const row of repo.export('ada', 'world')) {
      expect(row.name).toBe('Room');
      break;
    }
    const stopping = new AbortController();
    const stream = repo.export('ada', 'world', { signal: stopping.signal });
    await stream.header;
    stopping.abort(new Error('enough'));
    await expect(listOf(stream)).rejects.toThrow('enough');
    const left = repo.export('ada', 'world');
    await left.header;
    await left.cancel();
    await vi.waitUntil(() => proxy.open() === 0, PATIENCE_MS);
  });
});

function endlessExport() {
  const sent = { rows: 0 };
  const line = (value: object) => new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  const header = { type: 'header', formatVersion: 1, atRepoSeq: 1, commitId: 'c' };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(line(header)),
      pull: (controller) => {
        sent.rows += 1;
        controller.enqueue(line({ type: 'record', kind: 'thing', durableId: `r${sent.rows}`, version: 1 }));
      },
    },
    { highWaterMark: 1 },
  );
  return { sent, fetch: async () => new Response(body, { headers: { 'content-type': 'application/x-ndjson' } }) };
}

it('reads no further than it is asked for', async () => {
  const { sent, fetch } = endlessExport();
  const client = new CairnClient({ url: 'http://cairn.example', fetch });
  let taken = 0;
  for await (const { durableId } of client.repo.export('acme', 'world')) {
    taken += 1;
    expect(durableId).toBe(`r${taken}`);
    expect(sent.rows - taken).toBeLessThan(4);
    if (taken === 50) break;
  }
});
