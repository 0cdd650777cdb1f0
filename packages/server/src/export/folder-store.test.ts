import { createSecretKey } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../../../test/support/server.ts';
import { openFolderStore } from './folder-store.ts';

function storeIn(folder: string) {
  return openFolderStore(folder, { key: createSecretKey(Buffer.alloc(32)), publicUrl: 'https://a.example/cairn' });
}

async function* pieces(count: number, then?: () => void) {
  for (let n = 0; n < count; n++) yield new TextEncoder().encode(`${n}\n`);
  then?.();
}

describe('a folder of blobs', () => {
  it('is made, and keeps what is written whole', async () => {
    const folder = join(testFolder(), 'a/b');
    const blobs = storeIn(folder);
    await blobs.write('one', pieces(1_000));
    expect(readFileSync(join(folder, 'one'), 'utf8').split('\n')).toHaveLength(1_001);
    expect(readdirSync(folder)).toEqual(['one']);
  });

  it('holds nothing of a write that failed', async () => {
    const folder = testFolder();
    const failed = storeIn(folder).write(
      'one',
      pieces(10, () => {
        throw new Error('cut');
      }),
    );
    await expect(failed).rejects.toThrow('cut');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes a blob, the beginning of one, and one that is not there', async () => {
    const folder = testFolder();
    const blobs = storeIn(folder);
    await blobs.write('one', pieces(1));
    writeFileSync(join(folder, 'two.part'), 'half');
    for (const key of ['one', 'two', 'three']) await blobs.remove(key);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['../secret', 'a/b', '.hidden', '', 'A', 'a.part', 'x'.repeat(201), 'a\0b'])(
    'takes no key %o',
    async (key) => {
      const folder = testFolder();
      const blobs = storeIn(join(folder, 'blobs'));
      await expect(blobs.write(key, pieces(1))).rejects.toThrow('not a blob key');
      await expect(blobs.remove(key)).rejects.toThrow('not a blob key');
      expect(await blobs.downloads?.open(key)).toBeUndefined();
      expect(existsSync(join(folder, 'secret'))).toBe(false);
    },
  );

  it('signs links that begin with the public address', async () => {
    const link = { key: 'one', fileName: 'a b.ndjson', sha256: 'f', until: 5 };
    const url = new URL(await storeIn(testFolder()).sign(link));
    expect([url.origin, url.pathname]).toEqual(['https://a.example', '/cairn/downloads/one/a%20b.ndjson']);
    expect([...url.searchParams.keys()]).toEqual(['digest', 'expires', 'signature']);
  });
});
