// A CRC-32C for each row of `record` and `version`. SQLite does not detect a flipped bit in a row, so a damaged row
// could show another record's data under a name. Readers verify the checksum before they show or export a row.

import { hash } from 'node:crypto';
import { crc32c } from '@cairn/model/durable-id';
import { fail } from '@cairn/protocol/errors';

export interface HeadColumns {
  readonly record_id: number;
  readonly kind: string;
  readonly shape_id: number;
  readonly name: string;
  readonly version: number;
  readonly active: number;
  readonly created_seq: number;
  readonly updated_seq: number;
  readonly about: string | null;
  readonly about_wref: string | null;
}

/** `to_seq` is left out, because it changes when the next version begins. */
export interface VersionColumns {
  readonly record_id: number;
  readonly version: number;
  readonly from_seq: number;
  readonly op_index: number;
  readonly operation: string;
  readonly active: number;
  readonly shape_version: number | null;
  readonly reason: string | null;
  readonly data_hash: Uint8Array | string;
}

export function checksumHead(repoId: number, row: HeadColumns): number {
  const { record_id, kind, shape_id, name, version, active, created_seq, updated_seq, about, about_wref } = row;
  const place = [repoId, record_id, kind, shape_id, name];
  return checksum(JSON.stringify([...place, version, active, created_seq, updated_seq, about, about_wref]));
}

export function checksumVersion(repoId: number, row: VersionColumns, dataHash = hexOf(row.data_hash)): number {
  const { record_id, version, from_seq, op_index, operation, active, shape_version, reason } = row;
  const place = [repoId, record_id, version, from_seq, op_index];
  return checksum(JSON.stringify([...place, operation, active, shape_version, reason, dataHash]));
}

export function requireIntactHead(repoId: number, row: HeadColumns, crc: number): void {
  if (checksumHead(repoId, row) !== crc)
    throw damaged(`Record ${row.record_id} is damaged: it is not what was written.`);
}

export function requireIntactVersion(
  repoId: number,
  row: VersionColumns & { readonly crc: number },
  hash?: string,
): void {
  if (checksumVersion(repoId, row, hash) === row.crc) return;
  throw damaged(`Version ${row.version} of record ${row.record_id} is damaged: it is not what was written.`);
}

/** A row of `record` joined to one of its versions. The name may be that of an earlier sequence. */
export interface JoinedHead extends Omit<HeadColumns, 'name' | 'version' | 'active'> {
  readonly name_now: string;
  readonly head_version: number;
  readonly head_active: number;
  readonly head_crc: number;
}

export function requireIntactJoinedHead(repoId: number, row: JoinedHead): void {
  const { record_id, kind, shape_id, created_seq, updated_seq, about, about_wref } = row;
  const { name_now: name, head_version: version, head_active: active, head_crc } = row;
  const head = { record_id, kind, shape_id, name, version, active, created_seq, updated_seq, about, about_wref };
  requireIntactHead(repoId, head, head_crc);
}

export function hexOf(bytes: Uint8Array | string): string {
  if (typeof bytes === 'string') return bytes;
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}

/** Signed, so that SQLite stores it in four bytes. */
function checksum(text: string): number {
  return crc32c(text) | 0;
}

/** Replaces purged data. Its hash stays that of the original data, because the commit chain covers it. */
export const PURGED_DATA = '{}';

interface StoredData {
  readonly recordId: number;
  readonly version: number;
  readonly data: string;
  readonly dataHash: string;
}

export function requireIntact(stored: StoredData): 'intact' | 'purged' {
  const { data, dataHash } = stored;
  if (typeof data === 'string' && hash('sha256', data) === dataHash) return 'intact';
  if (data === PURGED_DATA) return 'purged';
  throw damagedVersion(stored);
}

const PAIR = String.raw`\["(?:[^"\\\x00-\x1f]|\\.)*","[0-9A-Z]+@v[0-9]+"\]`;
const REFERENCES = new RegExp(String.raw`^\[${PAIR}(?:,${PAIR})*\]$`);

/** References are sent as stored, so this checks that they can be parsed. */
export function requireReferences(refs: string | null, of: Pick<StoredData, 'recordId' | 'version'>): void {
  if (refs !== null && !(typeof refs === 'string' && REFERENCES.test(refs))) throw damagedVersion(of);
}

/** SQLite does not verify types when it reads: a flipped bit can turn a text into a number. */
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
