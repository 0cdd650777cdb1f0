// Blobs in a real S3-compatible storage: one that checks signatures and knows uploads in parts.
import { createHash, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createExportable, parseExport } from '../../../../test/support/export.ts';
import { buildAll, mint, redeemed, sha256Of } from '../../../../test/support/export-job.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { startS3 } from '../../../../test/tools/s3.ts';
import { blobLocation, readConfig } from '../config.ts';
import { openBlobStore } from './blob-store.ts';

const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

async function storeOn(more: Record<string, string> = {}) {
  const s3 = await startS3();
  const location = blobLocation(readConfig([], { ...s3.environment, ...more }));
  const blobs = openBlobStore(location, { key: createSecretKey(Buffer.alloc(32)), publicUrl: 'http://unused' });
  const sign = (key: string, until = Date.now() + 5 * MINUTE_MS) =>
    blobs.sign({ key, fileName: 'ada-world-7.ndjson', sha256: 'f', until });
  return { ...s3, blobs, sign };
}

function pieces({ count, bytes, fail = false }: { count: number; bytes: number; fail?: boolean }) {
  const hash = createHash('sha256');
  async function* given() {
    for (let n = 0; n < count; n++) {
      const piece = new Uint8Array(bytes).fill(n);
      hash.update(piece);
      yield piece;
    }
    if (fail) throw new Error('cut');
  }
  return { given: given(), digest: () => hash.digest('hex') };
}

describe('blobs in an S3-compatible storage', () => {
  it.each([
    { count: 0, bytes: 0 },
    { count: 3, bytes: 5 },
    { count: 8, bytes: MIB },
    { count: 9, bytes: MIB },
    { count: 70, bytes: 256 * 1024 },
    { count: 2, bytes: 8 * MIB + 7 },
  ])('are whole, in parts where they are long: $count pieces of $bytes', async (size) => {
    const { blobs, sign, requests } = await storeOn();
    const { given, digest } = pieces(size);
    await blobs.write('some-file', given);
    const answer = await fetch(await sign('some-file'));
    const content = new Uint8Array(await answer.arrayBuffer());
    expect([answer.status, content.length, sha256Of(content)]).toEqual([200, size.count * size.bytes, digest()]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="ada-world-7.ndjson"',
    });
    const parts = requests.filter((request) => request.includes('partNumber=')).length;
    const full = Math.ceil((size.count * size.bytes) / (8 * MIB));
    expect(parts).toBe(full > 1 ? full : 0);
  });

  it('have links that end, and that cannot be changed', async () => {
    const { blobs, sign } = await storeOn();
    await blobs.write('some-file', pieces({ count: 1, bytes: 10 }).given);
    await blobs.write('other-file', pieces({ count: 1, bytes: 10 }).given);
    const url = await sign('some-file');
    const range = await fetch(url, { headers: { range: 'bytes=2-4' } });
    expect([range.status, (await range.arrayBuffer()).byteLength]).toEqual([206, 3]);
    for (const changed of [
      url.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      url.replace('some-file', 'other-file'),
      url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=86400'),
    ]) {
      const refused = await fetch(changed);
      expect([refused.status, (await refused.text()).includes('SignatureDoesNotMatch')]).toEqual([403, true]);
    }
  });

  it('are removed, also when they are not there', async () => {
    const { blobs, sign } = await storeOn();
    await blobs.write('some-file', pieces({ count: 1, bytes: 10 }).given);
    for (let n = 0; n < 2; n++) await blobs.remove('some-file');
    expect((await fetch(await sign('some-file'))).status).toBe(404);
  });

  it('are not there when a write fails, and its parts are given up', async () => {
    const { blobs, sign, requests } = await storeOn();
    for (const count of [1, 20]) {
      const { given } = pieces({ count, bytes: MIB, fail: true });
      await expect(blobs.write('some-file', given)).rejects.toThrow('cut');
      expect((await fetch(await sign('some-file'))).status).toBe(404);
    }
    expect(requests).toContainEqual(expect.stringMatching(/^DELETE .*some-file\?uploadId=/));
  });

  it('are not waited for by who stops', async () => {
    const { blobs } = await storeOn();
    const stopping = new AbortController();
    async function* given() {
      for (let n = 0; n < 20; n++) yield new Uint8Array(MIB);
      stopping.abort(new Error('stopped'));
      for (let n = 0; n < 20; n++) yield new Uint8Array(MIB);
    }
    await expect(blobs.write('some-file', given(), stopping.signal)).rejects.toThrow('stopped');
  });

  it('cannot be written with other credentials', async () => {
    const { blobs } = await storeOn({ CAIRN_S3_SECRET_ACCESS_KEY: 'another' });
    await expect(blobs.write('some-file', pieces({ count: 1, bytes: 1 }).given)).rejects.toThrow(/signature/i);
  });
});

describe.each(UPPER_ENGINES)('an export on %s that is kept in an S3-compatible storage', (engine) => {
  it('is downloaded from there, and its digest is that of the bytes', async () => {
    const { environment, endpoint } = await startS3();
    const world = await createExportable(engine, environment);
    const token = await mint(world);
    await buildAll(world);
    const { url, expiresAt, contentSha256, recordCount } = await redeemed(world, token);
    expect(url.startsWith(`${endpoint}/cairn-test/some/prefix/export-`)).toBe(true);
    const { searchParams } = new URL(url);
    const [, ...date] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(searchParams.get('X-Amz-Date') ?? '') ?? [];
    const [year = 0, month = 1, ...rest] = date.map(Number);
    const signedAt = Date.UTC(year, month - 1, ...rest);
    expect(signedAt + Number(searchParams.get('X-Amz-Expires')) * 1_000).toBe(expiresAt);
    const text = await (await fetch(url)).text();
    expect([sha256Of(text), parseExport(text).recordCount]).toEqual([contentSha256, recordCount]);
    const { pathname, search } = new URL(url);
    expect((await world.app.request(pathname.replace('/cairn-test/some/prefix', '/downloads') + search)).status).toBe(
      404,
    );
    expect((await world.app.request(`/downloads/some-file/a.ndjson${search}`)).status).toBe(403);
  });
});
