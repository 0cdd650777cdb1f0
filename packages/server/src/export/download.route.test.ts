// Downloads by signed links over real sockets: whole, in ranges, and refused after any change of the link.
import { readdirSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createExportable, refusalOf } from '../../../../test/support/export.ts';
import { buildAll, download, mint, redeemed, sha256Of } from '../../../../test/support/export-job.ts';
import { createTestApp, openTestBlobs, startTestServer, testFolder } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { findSecret } from '../keys/secret.ts';
import { downloadKey } from '../server.ts';
import { openBlobStore } from './blob-store.ts';

const MINUTE_MS = 60_000;

async function* piecesOf(...pieces: Uint8Array<ArrayBuffer>[]) {
  yield* pieces;
}

async function serverWithFile(content: Uint8Array<ArrayBuffer>) {
  const data = testFolder();
  const server = await startTestServer('sqlite', { CAIRN_DATA: data });
  const key = downloadKey(findSecret({ given: undefined, folder: data }) ?? '');
  const blobs = openBlobStore({ kind: 'folder', folder: join(data, 'blobs') }, { key, publicUrl: server.url });
  await blobs.write('some-file', piecesOf(content));
  const link = { key: 'some-file', fileName: 'a.ndjson', sha256: sha256Of(content), until: Date.now() + 5 * MINUTE_MS };
  return { blobs, link, data, url: await blobs.sign(link) };
}

const openFiles = (folder: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  });

describe('a download', () => {
  const content = new TextEncoder().encode('0123456789');

  it('has its length, its type, its name and its digest, and can be asked for by HEAD', async () => {
    const { url, link, data } = await serverWithFile(content);
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(url, { method });
      expect([answer.status, await answer.text()]).toEqual([200, method === 'GET' ? '0123456789' : '']);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-length': '10',
        'accept-ranges': 'bytes',
        'content-type': 'application/x-ndjson',
        'content-disposition': 'attachment; filename="a.ndjson"',
        etag: `"${link.sha256}"`,
      });
      expect(answer.headers.get('content-encoding')).toBeNull();
    }
    await expect.poll(() => openFiles(join(data, 'blobs'))).toEqual([]);
  });

  it('gives the range that is asked for, of the same file alone', async () => {
    const { url, link, data } = await serverWithFile(content);
    const get = async (headers: Record<string, string>) => {
      const answer = await fetch(url, { headers });
      return [answer.status, answer.headers.get('content-range'), await answer.text()];
    };
    expect(await get({ range: 'bytes=2-4' })).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await get({ range: 'bytes=7-' })).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await get({ range: 'bytes=-2' })).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await get({ range: 'bytes=0-1,3-4' })).toEqual([200, null, '0123456789']);
    expect(await get({ range: 'bytes=2-4', 'if-range': `"${link.sha256}"` })).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await get({ range: 'bytes=2-4', 'if-range': '"other"' })).toEqual([200, null, '0123456789']);
    expect(await get({ range: 'bytes=10-' })).toEqual([416, 'bytes */10', expect.stringContaining('has 10 bytes')]);
    const head = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=2-4' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([206, '3']);
    await expect.poll(() => openFiles(join(data, 'blobs'))).toEqual([]);
  });

  it('can be empty', async () => {
    const { url } = await serverWithFile(new Uint8Array());
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '0', '']);
  });

  it('reads no further than the client takes, and closes the file when the client goes', async () => {
    const large = new Uint8Array(64 * 1024 * 1024).fill(120);
    const { url, data } = await serverWithFile(large);
    const paused = await new Promise<import('node:http').IncomingMessage>((resolve) => {
      request(url, (answer) => resolve(answer.pause())).end();
    });
    expect(openFiles(join(data, 'blobs'))).toHaveLength(1);
    const whole = new Uint8Array(await (await fetch(url)).arrayBuffer());
    expect(sha256Of(whole)).toBe(sha256Of(large));
    expect(openFiles(join(data, 'blobs'))).toHaveLength(1);
    paused.destroy();
    await expect.poll(() => openFiles(join(data, 'blobs'))).toEqual([]);
  });

  it(
    verifies(
      'is refused when any byte of its link is changed, and when its time is over',
      '2.4/url-signed',
      '8/url-refused-after',
    ),
    async () => {
      const { url, link, blobs } = await serverWithFile(content);
      await blobs.write('other-file', piecesOf(content));
      const { pathname, search, origin } = new URL(url);
      const target = pathname.replace('/downloads/', '') + search;
      const refused = async (changed: string) => {
        const answer = await fetch(`${origin}/downloads/${changed}`);
        return [changed, answer.status, (await answer.text()).includes('0123456789')];
      };
      for (let at = 0; at < target.length; at++) {
        const letter = target[at] ?? '';
        if ('/?&='.includes(letter)) continue;
        const changed = target.slice(0, at) + (letter === '1' ? '2' : '1') + target.slice(at + 1);
        expect(await refused(changed)).toEqual([changed, 403, false]);
      }
      for (const changed of [
        `${target}&x=1`,
        `${target}&expires=99999999999999`,
        target.replace('some-file', 'other-file'),
        `${target}A`,
        `${target}=`,
        target.replace('signature=', 'signature=%20'),
        target.replace(/&signature=.*/, ''),
        target.replace('expires=', 'expires=1'),
        target.replace('some-file', '..%2fsecret.key'),
        target.replace('some-file', 'some-file.part'),
      ]) {
        expect(await refused(changed)).toEqual([changed, 403, false]);
      }
      const over = await fetch(await blobs.sign({ ...link, until: Date.now() }));
      expect([over.status, (await refusalOf(over)).code]).toEqual([403, 'FORBIDDEN']);
      await blobs.remove('some-file');
      expect((await fetch(url)).status).toBe(404);
    },
  );

  it('is not for the links of a server with another secret', async () => {
    const { app } = await createTestApp('sqlite');
    const foreign = openTestBlobs();
    await foreign.write('some-file', piecesOf(content));
    const sha256 = sha256Of(content);
    const url = await foreign.sign({ key: 'some-file', fileName: 'a', sha256, until: Date.now() + MINUTE_MS });
    // The secret is the same, so the link is valid, but this folder lacks the file.
    expect((await app.request(url)).status).toBe(404);
    const { url: other } = await serverWithFile(content);
    expect((await app.request(other)).status).toBe(403);
  });
});

describe.each(ENGINES)('the link of an export on %s', (engine) => {
  it('leaves no signature in the log', async () => {
    const world = await createExportable(engine);
    const token = await mint(world);
    await buildAll(world);
    const { url } = await redeemed(world, token);
    await (await download(world, url)).text();
    const signature = new URL(url).searchParams.get('signature') ?? '';
    expect(signature).toHaveLength(43);
    const lines = JSON.stringify(world.logged);
    expect(lines).toContain('/downloads/export-');
    expect(lines).not.toContain(signature);
    expect(lines).not.toContain(token);
  });
});
