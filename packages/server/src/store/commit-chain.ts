// The chain of commits: each id is a hash over the one before and everything that the commit made, so that a changed
// byte anywhere in history shows.
import { hash } from 'node:crypto';
import { canonicalJson } from '../model/canonical-json.ts';
import { formatDurableId } from '../model/durable-id.ts';
import type { MadeVersion } from './record-set.ts';

export interface CommitAuthor {
  /** `user:<handle>`, `token:<handle>/<name>` or `component:<org>/<name>`. */
  readonly createdBy: string;
  /** A wref such as `Agent/bot`, on whose behalf it was written. */
  readonly committer?: string | undefined;
}

interface ChainedCommit {
  readonly repoId: number;
  readonly previous: Uint8Array | null;
  readonly repoSeq: number;
  readonly author: CommitAuthor;
  readonly time: number;
  readonly message: string;
  readonly versions: readonly MadeVersion[];
}

/** SHA-256 of the canonical form of [previous, repoSeq, principal, committer, component, time, message, entries]. */
export function commitIdOf({ repoId, previous, repoSeq, author, time, message, versions }: ChainedCommit): Uint8Array {
  const { createdBy, committer = null } = author;
  const component = createdBy.startsWith('component:') ? createdBy : null;
  const entries = versions.map((version) => chainEntry(repoId, version));
  const before = previous === null ? null : hex(previous);
  const text = canonicalJson([before, repoSeq, createdBy, committer, component, time, message, entries]);
  return hash('sha256', text, 'buffer');
}

/** [identity, kind, operation, version, name, active, shape, shape version, target, data hash, reason] */
function chainEntry(repoId: number, made: MadeVersion): unknown[] {
  const { head, operation, version, name, active, shapeVersion = null, dataHash, reason = null } = made;
  const identity = formatDurableId({ repoId, recordId: head.recordId });
  const shape = head.shapeId === 0 ? null : formatDurableId({ repoId, recordId: head.shapeId });
  return [identity, head.kind, operation, version, name, active, shape, shapeVersion, null, hex(dataHash), reason];
}

/** What the commit's row says it made: [opIndex, recordId, version], in order. */
export type CommitEntry = readonly [opIndex: number, recordId: number, version: number];

export function entriesOf(versions: readonly MadeVersion[]): string {
  return JSON.stringify(versions.map(({ opIndex, head, version }): CommitEntry => [opIndex, head.recordId, version]));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
