// Keys of blobs. They become names of files and parts of addresses.
const BLOB_KEY = /^[a-z0-9][a-z0-9-]{0,199}$/;

/** Keys become names of files: one that could lead anywhere else is a mistake of ours. */
export function checkBlobKey(key: string): string {
  if (!isBlobKey(key)) throw new Error(`not a key of a blob: ${key}`);
  return key;
}

export function isBlobKey(key: string): boolean {
  return BLOB_KEY.test(key);
}
