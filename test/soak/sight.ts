// Compares a record that was read with the model.
import { isDeepStrictEqual } from 'node:util';
import { contentOf, keyIn } from './content.ts';
import type { Finding } from './finding.ts';
import type { KnownRecord, RepositoryModel } from './repository-model.ts';

export interface Seen {
  readonly name: string;
  readonly version: number;
  readonly active: boolean;
  readonly repoSeq: number;
  readonly data?: unknown;
  readonly durableId: string;
}

/** Versions that a read may return. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Bounds at a sequence: certainly committed versions are included, versions sent later are not. */
export function boundsAt({ versions }: KnownRecord, seq: number): Bounds {
  const least = versions.findLastIndex(({ upTo }) => upTo <= seq) + 1;
  const most = versions.findLastIndex(({ after }) => after < seq) + 1;
  return { least, most };
}

/** Acknowledged versions: the lower bound for a read at the head. */
export function acknowledgedCount({ versions }: KnownRecord): number {
  return versions.findLastIndex(({ upTo }) => upTo !== Number.POSITIVE_INFINITY) + 1;
}

export function problemOf(record: KnownRecord, seen: Seen, { least, most }: Bounds): Finding | undefined {
  const { key, names, versions } = record;
  const said = `${key} was read as ${JSON.stringify(seen)}`;
  if (seen.version < least) return { kind: 'lost', sentence: `${said}, and version ${least} was acknowledged` };
  const version = versions[seen.version - 1];
  if (seen.version > most || version === undefined) {
    return { kind: 'phantom', sentence: `${said}, and version ${most} was the last to be sent` };
  }
  if (seen.active !== version.active || !isDeepStrictEqual(seen.data, contentOf(key, version.n))) {
    return { kind: 'changed', sentence: `${said}, and was sent as ${JSON.stringify(version)}` };
  }
  if (!names.includes(seen.name))
    return { kind: 'changed', sentence: `${said}, and its names are ${names.join(', ')}` };
  if (seen.repoSeq <= version.after || seen.repoSeq > version.upTo) {
    const { after, upTo } = version;
    return { kind: 'sequence', sentence: `${said}, and that version came after ${after}, at ${upTo} at the latest` };
  }
  return undefined;
}

export function problemInList(model: RepositoryModel, seen: Seen, atSeq: number): Finding | undefined {
  const record = model.records.get(keyIn(seen.data) ?? '');
  if (record === undefined) {
    return { kind: 'phantom', sentence: `${model.name}: nobody has sent ${JSON.stringify(seen)}` };
  }
  record.durableId ??= seen.durableId;
  if (record.durableId !== seen.durableId) {
    return { kind: 'changed', sentence: `${record.key} is ${seen.durableId}, and was ${record.durableId}` };
  }
  return problemOf(record, seen, boundsAt(record, atSeq));
}
