// Exports into files, from a real server, over connections that break and that change data.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProxy } from '../../../test/support/proxy.ts';
import { exportText, openWorld, withoutTime } from '../../../test/support/sdk-world.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import type { Engine } from '../../server/src/engine/database.ts';
import type { ExportProgress } from './index.ts';

type Send = typeof fetch;

const isDownload = (input: unknown) => String(input).includes('/downloads/');

function downloadsBy(change: (url: string, count: number) => string, seen: Headers[] = []): Send {
  return (input, init) => {
    if (!isDownload(input)) return fetch(input, init);
    seen.push(new Headers(init?.headers));
    return fetch(change(String(input), seen.length), init);
  };
}

const throughProxy = (proxyUrl: string) => (url: string) => url.replace(new URL(url).origin, proxyUrl);

async function openFolder(engine: Engine) {
  const world = await openWorld(engine);
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'world.ndjson');
  const whole = withoutTime(await exportText(world.client));
  const read = () => withoutTime(readFileSync(path, 'utf8'));
  return { ...world, path, part: `${path}.part`, whole, read };
}

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe.each(UPPER_ENGINES)('client.repo.exportToFile on %s', (engine) => {
  it('has the server build a file, downloads it without the token, and checks it', async () => {
    const { url, through, path, part, whole, read } = await openFolder(engine);
    const downloads: Headers[] = [];
    const told: ExportProgress[] = [];
    const client = through(url, { fetch: downloadsBy((address) => address, downloads) });
    const onProgress = (progress: ExportProgress) => told.push(progress);
    const exported = await client.repo.exportToFile('ada', 'world', path, { onProgress });
    const bytes = readFileSync(path).length;
    expect(exported).toEqual({ path, bytes, atRepoSeq: 7, recordCount: 11, contentSha256: sha256(path) });
    expect(read()).toBe(whole);
    expect(existsSync(part)).toBe(false);
    expect(downloads.map((headers) => headers.get('authorization'))).toEqual([null]);
    expect(told.at(-1)).toEqual({ state: 'downloading', bytes, totalBytes: bytes });
    expect(await client.repo.exportToFile('ada', 'world', path, { sinceRepoSeq: 6, atRepoSeq: 7 })).toMatchObject({
      recordCount: 1,
    });
  });

  it('is whole, however often the download is cut', async () => {
    const { url, through, path, whole, read } = await openFolder(engine);
    await assert(
      asyncProperty(array(integer({ min: 1, max: 6_000 }), { maxLength: 6 }), async (cuts) => {
        const proxy = await startProxy(url, { cutAfter: (connection) => cuts[connection] });
        const retry = { tries: cuts.length, pauseMs: 0 };
        const client = through(url, { fetch: downloadsBy(throughProxy(proxy.url)), retry });
        await client.repo.exportToFile('ada', 'world', path);
        expect(read()).toBe(whole);
      }),
      { numRuns: 15 },
    );
  });

  it('goes on with what an earlier call left, and only with that of the same file', async () => {
    const { url, client, through, path, part, whole, read } = await openFolder(engine);
    await client.repo.exportToFile('ada', 'world', path);
    const left = readFileSync(path).subarray(0, 3_000);
    writeFileSync(part, left);
    rmSync(path);
    // The partial file names its sequence, so the export must not contain later commits.
    await client.commit.submit('ada', 'world', { operations: [{ name: 'Room/new', data: {} }] });
    const downloads: Headers[] = [];
    const watched = through(url, { fetch: downloadsBy((address) => address, downloads) });
    expect(await watched.repo.exportToFile('ada', 'world', path, { resume: true })).toMatchObject({ atRepoSeq: 7 });
    expect(read()).toBe(whole);
    expect(downloads.at(-1)?.get('range')).toBe(`bytes=${left.length}-`);
    for (const other of ['nothing of the kind', left.toString('utf8').replace(/"exportedAt":1/, '"exportedAt":2')]) {
      writeFileSync(part, other);
      await watched.repo.exportToFile('ada', 'world', path, { resume: true, atRepoSeq: 7 });
      expect(read()).toBe(whole);
    }
  });

  it('keeps what came when it was cut for good', async () => {
    const { url, client, through, path, part, whole, read } = await openFolder(engine);
    const proxy = await startProxy(url, { cutAfter: () => 3_000, holds: true });
    const cut = through(url, { fetch: downloadsBy(throughProxy(proxy.url)) });
    const onProgress = ({ state }: ExportProgress) => state === 'downloading' && proxy.stop();
    await expect(cut.repo.exportToFile('ada', 'world', path, { onProgress })).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
    });
    expect(existsSync(path)).toBe(false);
    expect(withoutTime(readFileSync(part, 'utf8'))).toBe(
      whole.slice(0, withoutTime(readFileSync(part, 'utf8')).length),
    );
    await client.repo.exportToFile('ada', 'world', path, { resume: true });
    expect(read()).toBe(whole);
  });

  it('is given another address when one has expired', async () => {
    const { url, through, path, whole, read } = await openFolder(engine);
    const downloads: Headers[] = [];
    const expired = (address: string, count: number) =>
      count < 3 ? address.replace(/expires=\d+/, 'expires=1000') : address;
    const client = through(url, { fetch: downloadsBy(expired, downloads) });
    await client.repo.exportToFile('ada', 'world', path);
    expect(read()).toBe(whole);
    expect(downloads).toHaveLength(3);
  });

  it('keeps nothing of a file that was changed on its way', async () => {
    const { url, through, path, part } = await openFolder(engine);
    const change = (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('collapsed', 'collapses'), 'latin1');
    const proxy = await startProxy(url, { change });
    const client = through(url, { fetch: downloadsBy(throughProxy(proxy.url)) });
    await expect(client.repo.exportToFile('ada', 'world', path)).rejects.toMatchObject({
      message: expect.stringMatching(/SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}\. Export again/),
    });
    expect([existsSync(path), existsSync(part)]).toEqual([false, false]);
  });

  it('leaves nothing of what is refused', async () => {
    const { client, path, part } = await openFolder(engine);
    await expect(client.repo.exportToFile('ada', 'none', path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const other = client.repo.exportToFile('ada', 'world', path, { exportToken: 'no-token' });
    await expect(other).rejects.toMatchObject({ code: 'export-token-unknown' });
    expect([existsSync(path), existsSync(part)]).toEqual([false, false]);
  });

  it('goes call by call as well', async () => {
    const { client, path } = await openFolder(engine);
    const { exportToken, atRepoSeq } = await client.export.mint('ada', 'world', { atRepoSeq: 3 });
    expect(atRepoSeq).toBe(3);
    await client.repo.exportToFile('ada', 'world', path, { exportToken });
    const status = await client.export.status('ada', 'world', exportToken);
    expect(status).toMatchObject({ state: 'complete', atRepoSeq: 3, contentSha256: sha256(path) });
  });
});

describe.each(UPPER_ENGINES)('checkpoints of client.repo on %s', (engine) => {
  it('are kept under their names, and downloaded', async () => {
    const { client, path, whole, read } = await openFolder(engine);
    const made = await client.repo.createCheckpoint('ada', 'world', 'monday', { description: 'Before the move' });
    expect(made).toMatchObject({
      name: 'monday',
      description: 'Before the move',
      atRepoSeq: 7,
      createdBy: expect.any(String),
    });
    await client.repo.createCheckpoint('ada', 'world', 'early', { atRepoSeq: 2 });
    await client.commit.submit('ada', 'world', { operations: [{ name: 'Room/new', data: {} }] });
    expect(await client.repo.checkpointToFile('ada', 'world', 'monday', path)).toMatchObject({ recordCount: 11 });
    expect(read()).toBe(whole);
    const { items } = await client.repo.checkpoints('ada', 'world');
    expect(items).toMatchObject([
      { name: 'early', atRepoSeq: 2 },
      { name: 'monday', state: 'complete', recordCount: 11 },
    ]);
    expect(await client.repo.deleteCheckpoint('ada', 'world', 'monday')).toMatchObject({ name: 'monday' });
    await expect(client.repo.checkpointToFile('ada', 'world', 'monday', path)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
