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
  const { data, dataHash } = stored;
  if (typeof data === 'string' && hash('sha256', data) === dataHash) return 'intact';
  if (data === PURGED_DATA) return 'purged';
  throw damagedVersion(stored);
}

const PAIR = String.raw`\["(?:[^"\\\x00-\x1f]|\\.)*","[0-9A-Z]+@v[0-9]+"\]`;
const REFERENCES = new RegExp(String.raw`^\[${PAIR}(?:,${PAIR})*\]$`);

/** Of the references beside data, which are sent on as they are stored too: that they can be read. */
export function requireReferences(refs: string | null, of: Pick<StoredData, 'recordId' | 'version'>): void {
  if (refs !== null && !(typeof refs === 'string' && REFERENCES.test(refs))) throw damagedVersion(of);
}

/** SQLite does not look at types again when it reads: a bit of a row may make a number of a text. */
export function requireTypes(
  { numbers, texts }: { readonly numbers: readonly unknown[]; readonly texts: readonly unknown[] },
  of: Pick<StoredData, 'recordId' | 'version'>,
): void {
  const areRight = numbers.every(Number.isSafeInteger) && texts.every((text) => typeof text === 'string');
  if (!areRight) throw damagedVersion(of);
}

function damagedVersion({ recordId, version }: Pick<StoredData, 'recordId' | 'version'>): Error {
  return damaged(`Version ${version} of record ${recordId} is damaged: it is not what was written, and is not shown.`);
}

export function damaged(what: string): Error {
  return fail('INTERNAL_ERROR', {
    message: `${what} The operator of this server can find all damage with \`cairn admin verify\`, and restore a backup.`,
  });
}
