// The records that a commit touches: their heads as they were, what the commit makes of them, and the rows that follow.
import type { OperationName } from '../model/operation.ts';
import {
  CLOSE_VERSIONS,
  FIND_HEADS,
  type HeadRow,
  INSERT_NAMES,
  INSERT_RECORDS,
  INSERT_VERSIONS,
  UPDATE_RECORDS,
} from './commit-statement.ts';
import type { Reader, Transaction, Value } from './database.ts';

export interface RecordAddress {
  readonly shapeId: number;
  /** The part of the name after the shape; for a shape (shapeId 0) its name. */
  readonly local: string;
}

export interface Head extends RecordAddress {
  readonly recordId: number;
  readonly kind: string;
  version: number;
  active: boolean;
  dataHash: Uint8Array;
  data: string;
  /** Version and data before this commit; none for a record that it makes. */
  readonly before: { readonly version: number; readonly data: string } | undefined;
}

export interface VersionChange {
  /** The record's full name at this moment. */
  readonly name: string;
  readonly opIndex: number;
  readonly operation: OperationName;
  readonly active: boolean;
  readonly shapeVersion: number | undefined;
  readonly reason?: string | undefined;
  readonly dataHash: Uint8Array;
  readonly data: string;
}

/** One version that the commit makes. */
export interface MadeVersion extends VersionChange {
  readonly head: Head;
  readonly version: number;
  superseded: boolean;
}

interface RecordSetStart {
  readonly repoId: number;
  /** The sequence that the commit will take. */
  readonly repoSeq: number;
  readonly lastRecordId: number;
}

export class RecordSet {
  readonly #start: RecordSetStart;
  readonly #heads = new Map<string, Head>();
  readonly #latest = new Map<Head, MadeVersion>();
  readonly made: MadeVersion[] = [];
  lastRecordId: number;

  constructor(start: RecordSetStart) {
    this.#start = start;
    this.lastRecordId = start.lastRecordId;
  }

  /** Fetches the heads of many names in one go; those that are there already are not asked for again. */
  async load(reader: Reader, addresses: Iterable<RecordAddress>, kind: string): Promise<void> {
    const wanted = new Map<string, RecordAddress>();
    for (const address of addresses) {
      const key = keyOf(address);
      if (!this.#heads.has(key)) wanted.set(key, address);
    }
    const list = [...wanted.values()];
    const rows = list.map(({ shapeId, local }) => [shapeId, local]);
    const found = await reader.bulk<HeadRow>(FIND_HEADS, { common: [this.#start.repoId], rows });
    for (const row of found) {
      const address = list[row.ord];
      if (address !== undefined) this.#heads.set(keyOf(address), headOf(address, kind, row));
    }
  }

  find(address: RecordAddress): Head | undefined {
    return this.#heads.get(keyOf(address));
  }

  add(address: RecordAddress, kind: string, change: VersionChange): Head {
    const { data, dataHash, active } = change;
    const head: Head = {
      ...address,
      kind,
      recordId: ++this.lastRecordId,
      version: 0,
      active,
      data,
      dataHash,
      before: undefined,
    };
    this.#heads.set(keyOf(address), head);
    this.append(head, change);
    return head;
  }

  append(head: Head, change: VersionChange): void {
    const earlier = this.#latest.get(head);
    if (earlier !== undefined) earlier.superseded = true;
    head.version += 1;
    head.active = change.active;
    head.data = change.data;
    head.dataHash = change.dataHash;
    const made = { ...change, head, version: head.version, superseded: false };
    this.#latest.set(head, made);
    this.made.push(made);
  }

  /** Heads that the commit made or changed. */
  touched(): Head[] {
    return [...this.#latest.keys()];
  }

  async write(tx: Transaction): Promise<void> {
    const { repoId, repoSeq } = this.#start;
    const common = [repoId];
    const fresh = this.touched().filter(({ before }) => before === undefined);
    const changed = this.touched().filter(({ before }) => before !== undefined);
    await tx.bulk(INSERT_RECORDS, { common, rows: fresh.map((head) => this.#recordRow(head)) });
    await tx.bulk(INSERT_NAMES, {
      common,
      rows: fresh.map(({ shapeId, local, recordId }) => [shapeId, local, repoSeq, recordId]),
    });
    await tx.bulk(CLOSE_VERSIONS, {
      common,
      rows: changed.map(({ recordId, before }) => [recordId, before?.version ?? 0, repoSeq]),
    });
    await tx.bulk(UPDATE_RECORDS, {
      common,
      rows: changed.map(({ recordId, version, active }) => [recordId, version, active ? 1 : 0, repoSeq]),
    });
    await tx.bulk(INSERT_VERSIONS, { common, rows: this.made.map((made) => this.#versionRow(made)) });
  }

  #recordRow({ recordId, kind, shapeId, local, version, active }: Head): Value[] {
    const { repoSeq } = this.#start;
    return [recordId, kind, shapeId, local, version, active ? 1 : 0, repoSeq, repoSeq];
  }

  // A version that a later operation of the same commit replaced was never visible: it ends where it begins.
  #versionRow({ head, version, superseded, opIndex, operation, active, ...rest }: MadeVersion): Value[] {
    const { repoSeq } = this.#start;
    const { shapeVersion = null, reason = null, dataHash, data } = rest;
    const ends = superseded ? repoSeq : null;
    return [
      head.recordId,
      version,
      repoSeq,
      ends,
      opIndex,
      operation,
      active ? 1 : 0,
      shapeVersion,
      reason,
      dataHash,
      data,
    ];
  }
}

function headOf(address: RecordAddress, kind: string, row: HeadRow): Head {
  const { record_id, version, active, data_hash, data } = row;
  const before = { version, data };
  return { ...address, recordId: record_id, kind, version, active: active === 1, dataHash: data_hash, data, before };
}

// No name holds a space.
function keyOf({ shapeId, local }: RecordAddress): string {
  return `${shapeId} ${local}`;
}
