// Blobs as files in a folder that all nodes share. Links lead to this server, which signs them.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BlobLink,
  type BlobPieces,
  type BlobStore,
  type BlobStoreOptions,
  type ByteRange,
  checkBlobKey,
  isBlobKey,
  type OpenBlob,
} from './blob-store.ts';

const READ_BYTES = 256 * 1024;

export function openFolderStore(folder: string, { key, publicUrl }: BlobStoreOptions): BlobStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (blob: string) => join(folder, checkBlobKey(blob));
  const signatureOf = (link: BlobLink) => createHmac('sha256', key).update(signedText(link)).digest();
  return {
    write: async (blob, bytes) => {
      const file = fileOf(blob);
      const draft = draftOf(file);
      try {
        await writeDurably(draft, bytes);
        await rename(draft, file);
        await syncFolder(folder);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    sign: async (link) => {
      const { key: blob, fileName, sha256, until } = link;
      const signature = signatureOf(link).toString('base64url');
      const query = new URLSearchParams({ digest: sha256, expires: String(until), signature });
      return `${publicUrl}/downloads/${checkBlobKey(blob)}/${encodeURIComponent(fileName)}?${query}`;
    },
    remove: async (blob) => {
      const file = fileOf(blob);
      for (const path of [draftOf(file), file]) await rm(path, { force: true });
    },
    downloads: {
      check: (link, signature) => {
        const given = Buffer.from(signature, 'base64url');
        const made = signatureOf(link);
        // Decoding skips invalid characters, so the signature must match its re-encoded form.
        const whole = given.toString('base64url') === signature;
        return whole && given.length === made.length && timingSafeEqual(given, made);
      },
      open: async (blob) => (isBlobKey(blob) ? await openFile(fileOf(blob)) : undefined),
    },
  };
}

const draftOf = (file: string) => `${file}.part`;

/** No value contains a zero byte, so the joined text is unambiguous. */
function signedText({ key, fileName, sha256, until }: BlobLink): string {
  return ['download', key, fileName, sha256, until].join('\0');
}

async function writeDurably(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await using handle = await open(file, 'w', 0o600);
  await handle.writeFile(bytes);
  await handle.sync();
}

/** A file name is durable only after its folder is synced too. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

async function openFile(file: string): Promise<OpenBlob | undefined> {
  const handle = await openIfThere(file);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    return { size, read: (range) => readRange(handle, range), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readRange(handle: FileHandle, range: ByteRange): BlobPieces {
  const pieces = piecesOf(handle, range);
  return {
    next: () => pieces.next(),
    // A generator that has not started does not run its `finally`, so close the file here.
    return: async (value) => {
      await handle.close();
      return await pieces.return(value);
    },
  };
}

async function* piecesOf(handle: FileHandle, { first, last }: ByteRange): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for (let position = first; position <= last; ) {
      const wanted = Math.min(READ_BYTES, last - position + 1);
      const { bytesRead, buffer } = await handle.read(new Uint8Array(wanted), 0, wanted, position);
      if (bytesRead === 0) throw new Error('a blob is shorter than its size');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
