// What is sent is what was written, or nothing. The hash of data is kept beside it, and is in the chain of commits: whoever
// sends data on compares the two first. Data that was purged is empty, and its hash is that of what it was.
import { hash } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';

/** What is left of data that was purged. */
export const PURGED_DATA = '{}';

/** A version as it is stored; its hash in hex. */
export interface StoredData {
  readonly recordId: number;
  readonly version: number;
  readonly data: string;
  readonly dataHash: string;
}

export type DataState = 'intact' | 'purged';

export function requireIntact(stored: StoredData): DataState {
  const { recordId, version, data, dataHash } = stored;
  if (hash('sha256', data) === dataHash) return 'intact';
  if (data === PURGED_DATA) return 'purged';
  throw fail('INTERNAL_ERROR', {
    message: `Version ${version} of record ${recordId} is damaged: its data is not what was written, and is not shown. Whoever operates the server finds out by \`cairn admin verify\` what else is damaged, and restores a backup.`,
  });
}
