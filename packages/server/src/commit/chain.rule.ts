// The chain of commits: each id is a hash over the previous id and everything that the commit made. A changed byte
// anywhere in history therefore shows.
import { hash } from 'node:crypto';
import { formatDurableId } from '@cairn/model/durable-id';
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
  // A retraction keeps the references of the previous version.
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

// Digests lie side by side in larger buffers. A buffer each would take twice as long and burden the garbage collector
// with external memory.
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
