// Where large files are kept, beside the database: a folder, or a bucket of an S3-compatible storage. A blob is written
// once, whole or not at all, under a key of its own, and read through links that end.
import type { KeyObject } from 'node:crypto';
import type { BlobLocation } from './blob-location.ts';
import { openFolderStore } from './folder-store.ts';
import { openS3Store } from './s3-store.ts';

export interface BlobStore {
  /** Memory stays bounded: whoever gives a piece has it back when the next is asked for. A key is never written twice. */
  write(key: string, bytes: AsyncIterable<Uint8Array<ArrayBuffer>>, signal?: AbortSignal): Promise<void>;
  /** An absolute address, which lets anyone who has it download the blob. */
  sign(link: BlobLink): Promise<string>;
  /** Also what a write that was cut off has left behind. What is not there is removed. */
  remove(key: string): Promise<void>;
  /** Where this server itself serves the links. */
  readonly downloads?: Downloads;
}

export interface BlobLink {
  readonly key: string;
  /** What the file is to be called where it is saved. */
  readonly fileName: string;
  /** Of its content, in hexadecimal digits. */
  readonly sha256: string;
  readonly until: number;
}

export interface Downloads {
  /** Whether this server made the link, and nothing of it was changed. */
  check(link: BlobLink, signature: string): boolean;
  /** `undefined` when the file is not there. Whoever opens it reads it or closes it. */
  open(key: string): Promise<OpenBlob | undefined>;
}

export interface OpenBlob {
  readonly size: number;
  /** From the first byte to the last, both included. Closes the file at its end, or when it is told to return. */
  read(range: ByteRange): BlobPieces;
  close(): Promise<void>;
}

/** Each in memory of its own, which may be given back once it is sent. */
export type BlobPieces = Pick<AsyncGenerator<Uint8Array<ArrayBuffer>>, 'next' | 'return'>;

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface BlobStoreOptions {
  /** What links to this server are signed with. */
  readonly key: KeyObject;
  readonly publicUrl: string;
}

export function openBlobStore(location: BlobLocation, options: BlobStoreOptions): BlobStore {
  return location.kind === 'folder' ? openFolderStore(location.folder, options) : openS3Store(location);
}
