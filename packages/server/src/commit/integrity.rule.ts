// Detects damage through the chain of commits: each id is a hash over the previous id and everything that the commit
// made.
import { hash } from 'node:crypto';
import { crc32c, formatDurableId } from '@cairn/model/wref';
import { fail } from '@cairn/protocol/errors';
import type { Made, MadeRename } from './record-set.sql.ts';

export interface CommitAuthor {
  /** `user:<handle>`, `token:<handle>/<name>` or `component:<org>/<name>`. */
  readonly createdBy: string;
  readonly committer?: { readonly wref: string; readonly identity: string } | undefined;
}

interface ChainedCommit {
  readonly repoId: number;
  readonly previous: Uint8Array | null;
  readonly repoSeq: number;
  readonly author: CommitAuthor;
  readonly time: number;
  readonly message: string;
  readonly made: readonly Made[];
}

/** SHA-256 of the canonical form of [previous, repoSeq, principal, committer, component, time, message, entries]. */
export function commitIdOf({ repoId, previous, repoSeq, author, time, message, made }: ChainedCommit): Uint8Array {
  const { createdBy, committer } = author;
  const component = createdBy.startsWith('component:') ? createdBy : null;
  const shapeIds = new Map<number, string>([[0, '']]);
  for (const { head } of made) {
    if (!shapeIds.has(head.shapeId)) shapeIds.set(head.shapeId, formatDurableId({ repoId, recordId: head.shapeId }));
  }
  const entries = made.map((entry) => chainEntry(repoId, entry, shapeIds.get(entry.head.shapeId) || null)).join(',');
  const before = previous === null ? null : hex(previous);
  const head = JSON.stringify([before, repoSeq, createdBy, committer?.identity ?? null, component, time, message]);
  // The text contains arrays only. Without object keys to sort, JSON.stringify gives the canonical form.
  return hash('sha256', `${head.slice(0, -1)},[${entries}]]`, 'buffer');
}

/**
 * [identity, kind, operation, version, name, active, shape, shape version, target, data hash, reason, references].
 * References are left out if there are none; the data hash covers only their names.
 */
function chainEntry(repoId: number, made: Made, shape: string | null): string {
  const { head, operation, version, name, active } = made;
  const identity = formatDurableId({ repoId, recordId: head.recordId });
  const under = shape === null ? 'null' : `"${shape}"`;
  const start = `["${identity}","${head.kind}","${operation}",${version},${JSON.stringify(name)},${active},${under}`;
  const target = head.about === null ? 'null' : `"${head.about.identity}"`;
  if (isRename(made)) return `${start},null,${target},null,null]`;
  const { shapeVersion = null, dataHash, reason, refs } = made;
  const why = reason === undefined ? 'null' : JSON.stringify(reason);
  const references = refs === null || operation === 'retract' ? '' : `,${JSON.stringify(refs)}`;
  return `${start},${shapeVersion},${target},"${hex(dataHash)}",${why}${references}]`;
}

export type CommitEntry = readonly [opIndex: number, recordId: number, version: number, rename?: 'rename'];

export function entriesOf(made: readonly Made[]): string {
  return JSON.stringify(
    made.map((entry): CommitEntry => {
      const { opIndex, head, version } = entry;
      return isRename(entry) ? [opIndex, head.recordId, version, 'rename'] : [opIndex, head.recordId, version];
    }),
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

// Digests share larger buffers, because a buffer each would take twice as long and burden the garbage collector.
const DIGEST_BYTES = 32;
const BUFFER_BYTES = 1_024 * DIGEST_BYTES;

let buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
let filled = 0;

/** Part of a larger buffer: copy it before sending it to another thread. */
export function sha256(text: string): Uint8Array {
  if (filled === BUFFER_BYTES) {
    buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    filled = 0;
  }
  buffer.write(hash('sha256', text, 'binary'), filled, 'latin1');
  const digest = new Uint8Array(buffer.buffer, filled, DIGEST_BYTES);
  filled += DIGEST_BYTES;
  return digest;
}

export function isRename(made: Made): made is MadeRename {
  return made.operation === 'rename';
}

// A CRC-32C for each row of `record` and `version`, because SQLite does not detect a flipped bit in a row. Readers
// verify it before they show or export a row.

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
    throw damaged(`Record ${row.record_id} is damaged: it differs from the written one.`);
}

export function requireIntactVersion(
  repoId: number,
  row: VersionColumns & { readonly crc: number },
  hash?: string,
): void {
  if (checksumVersion(repoId, row, hash) === row.crc) return;
  throw damaged(`Version ${row.version} of record ${row.record_id} is damaged: it differs from the written one.`);
}

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

/** Replaces purged data. The hash stays, because the commit chain covers it. */
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
  return damaged(`Version ${version} of record ${recordId} is damaged and not shown: it differs from the written one.`);
}

export function damaged(what: string): Error {
  return fail('INTERNAL_ERROR', {
    message: `${what} The operator of this server can find all damage with \`cairn admin verify\` and restore a backup.`,
  });
}
