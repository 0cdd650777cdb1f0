// The records that a commit touches: their state before it, and the versions and renames that it makes. commit.write.ts
// writes them.

import type { OperationName } from '@cairn/model/operation';
import { listSpellings } from '@cairn/model/record-name';
import type { Reference } from '@cairn/model/wref';
import type { WrittenData } from '@cairn/model/written-data';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { idKey, nameKey } from './reference/target-lookup.sql.ts';
import { requireIntactHead } from './row-checksum.rule.ts';
import { FIND_HEADS, FIND_LIGHT_HEADS, type HeadRow, type LightHeadRow } from './statement.sql.ts';

export interface RecordAddress {
  readonly shapeId: number;
  /** The name without its shape. A shape has shapeId 0 and its whole name here. */
  readonly local: string;
}

/** The target of an assertion, which never changes. */
export interface About {
  readonly identity: string;
  readonly wref: string;
}

export interface Content {
  readonly data: string;
  readonly value?: unknown;
  readonly written?: WrittenData | undefined;
  readonly dataHash: Uint8Array;
  /** The references in data in their stored form, by identity. */
  readonly refs: string | null;
  readonly references?: readonly Reference[] | undefined;
}

interface Before extends Content {
  readonly local: string;
  readonly version: number;
}

export interface Head extends RecordAddress, Content {
  readonly recordId: number;
  readonly kind: string;
  readonly about: About | null;
  local: string;
  version: number;
  active: boolean;
  dataHash: Uint8Array;
  data: string;
  value?: unknown;
  written?: WrittenData | undefined;
  refs: string | null;
  references?: readonly Reference[] | undefined;
  /** The version of the shape that the data was validated against; `undefined` for a shape. */
  shapeVersion: number | undefined;
  /** Retracting and renaming do not need data and references, so these may be missing. */
  readonly loaded: boolean;
  readonly createdSeq: number;
  /** The sequence of the last version before this commit, or the commit's own sequence after a change. */
  fromSeq: number;
  readonly before: Before | undefined;
}

export interface Moment {
  readonly opIndex: number;
  readonly operation: OperationName;
  readonly name: string;
}

interface VersionChange extends Moment, Content {
  readonly active: boolean;
  readonly shapeVersion: number | undefined;
  readonly reason?: string | undefined;
}

export interface MadeVersion extends VersionChange {
  readonly head: Head;
  readonly version: number;
  superseded: boolean;
}

export interface MadeRename extends Moment {
  readonly operation: 'rename';
  readonly head: Head;
  readonly version: number;
  readonly active: boolean;
  readonly oldLocal: string;
  readonly newLocal: string;
}

export type Made = MadeVersion | MadeRename;

export class RecordSet {
  start: { readonly repoId: number; readonly repoSeq: number; readonly lastRecordId: number };
  /** By shape and current name; null for a name that is known to be free. */
  readonly #named = new Map<number, Map<string, Head | null>>();
  readonly #byId = new Map<number, Head>();
  readonly #latest = new Map<Head, MadeVersion>();
  readonly #renamed = new Set<Head>();
  readonly made: Made[] = [];
  lastRecordId: number;
  /** Counts all changes of names, so that caches of resolved names can detect them. */
  renameCount = 0;

  constructor(start: RecordSet['start']) {
    this.start = start;
    this.lastRecordId = start.lastRecordId;
  }

  begin({ repoSeq, lastRecordId }: { repoSeq: number; lastRecordId: number }): void {
    this.start = { repoId: this.start.repoId, repoSeq: repoSeq + 1, lastRecordId };
    this.lastRecordId = lastRecordId;
  }

  /** Keys of all names that were looked up, free ones too, and of all records that were found. */
  *asked(): Iterable<string> {
    const { repoId } = this.start;
    for (const [shapeId, names] of this.#named) {
      for (const local of names.keys()) yield nameKey(repoId, { shapeId, local });
    }
    for (const recordId of this.#byId.keys()) yield idKey(repoId, recordId);
  }

  async load(reader: Reader, addresses: Iterable<RecordAddress>): Promise<HeadRow[]> {
    return await this.#load<HeadRow>(reader, addresses, FIND_HEADS);
  }

  async loadLight(reader: Reader, addresses: Iterable<RecordAddress>): Promise<void> {
    await this.#load<LightHeadRow>(reader, addresses, FIND_LIGHT_HEADS);
  }

  async #load<Row extends LightHeadRow & Partial<HeadRow>>(
    reader: Reader,
    addresses: Iterable<RecordAddress>,
    statement: BulkStatement,
  ): Promise<Row[]> {
    const wanted = [...addresses].flatMap((address) => this.#unknown(address));
    if (wanted.length === 0) return [];
    const rows = wanted.map(({ shapeId, local }) => [shapeId, local]);
    const found = await reader.bulk<Row>(statement, { common: [this.start.repoId], rows });
    return found.filter((row) => {
      const address = wanted[row.ord];
      if (address === undefined || row.to_seq !== null) return false;
      // Checks the requested name, because a damaged name row may lead to another record.
      requireIntactHead(this.start.repoId, { ...row, shape_id: address.shapeId, name: address.local }, row.crc);
      this.#keep(headOf(address, row));
      return true;
    });
  }

  /** Spellings of a name that were not looked up yet. */
  #unknown({ shapeId, local: given }: RecordAddress): RecordAddress[] {
    const unknown = listSpellings(given)
      .map((local) => ({ shapeId, local }))
      .filter((address) => !this.knows(address));
    for (const address of unknown) this.#name(address, null);
    return unknown;
  }

  /** Adds a head from the writer's cache. */
  keepLoaded(row: HeadRow): void {
    const address = { shapeId: row.shape_id, local: row.name };
    if (this.#unknown(address).length > 0) this.#keep(headOf(address, row));
  }

  #name({ shapeId, local }: RecordAddress, head: Head | null): void {
    const names = this.#named.get(shapeId) ?? new Map<string, Head | null>();
    this.#named.set(shapeId, names);
    names.set(local, head);
  }

  #keep(head: Head): void {
    this.#name(head, head);
    this.#byId.set(head.recordId, head);
  }

  knows({ shapeId, local }: RecordAddress): boolean {
    return this.#named.get(shapeId)?.has(local) ?? false;
  }

  find({ shapeId, local }: RecordAddress): Head | undefined {
    const names = this.#named.get(shapeId);
    for (const spelling of listSpellings(local)) {
      const head = names?.get(spelling);
      if (head != null) return head;
    }
    return undefined;
  }

  findById(recordId: number): Head | undefined {
    return this.#byId.get(recordId);
  }

  add(address: RecordAddress, kind: string, change: VersionChange, about: About | null = null): Head {
    const { data, dataHash, refs, active, shapeVersion } = change;
    const head: Head = {
      shapeId: address.shapeId,
      local: address.local,
      recordId: ++this.lastRecordId,
      kind,
      about,
      version: 0,
      active,
      data,
      value: undefined,
      written: undefined,
      dataHash,
      refs,
      references: undefined,
      shapeVersion,
      loaded: true,
      createdSeq: this.start.repoSeq,
      fromSeq: this.start.repoSeq,
      before: undefined,
    };
    this.#keep(head);
    this.append(head, change);
    return head;
  }

  append(head: Head, change: VersionChange): void {
    const earlier = this.#latest.get(head);
    if (earlier !== undefined) earlier.superseded = true;
    head.version += 1;
    head.active = change.active;
    head.data = change.data;
    head.value = change.value;
    head.written = change.written;
    head.dataHash = change.dataHash;
    head.refs = change.refs;
    head.references = change.references;
    head.shapeVersion = change.shapeVersion;
    head.fromSeq = this.start.repoSeq;
    const made: MadeVersion = {
      opIndex: change.opIndex,
      operation: change.operation,
      name: change.name,
      data: change.data,
      dataHash: change.dataHash,
      refs: change.refs,
      references: change.references,
      active: change.active,
      shapeVersion: change.shapeVersion,
      reason: change.reason,
      head,
      version: head.version,
      superseded: false,
    };
    this.#latest.set(head, made);
    this.made.push(made);
  }

  complete(head: Head, { refs, references }: Pick<Content, 'refs' | 'references'>): void {
    const made = this.#latest.get(head);
    if (made === undefined || refs === head.refs) return;
    Object.assign(made, { refs, references });
    head.refs = refs;
    head.references = references;
  }

  rename(head: Head, newLocal: string, moment: Moment): void {
    const { local: oldLocal, version, active } = head;
    this.renameCount += 1;
    this.#name(head, null);
    head.local = newLocal;
    this.#name(head, head);
    this.#renamed.add(head);
    this.made.push({ ...moment, operation: 'rename', head, version, active, oldLocal, newLocal });
  }

  /** Undoes everything after the first `count` entries, because an operation that fails leaves no trace. */
  undoTo(count: number): void {
    if (this.made.length > count) this.renameCount += 1;
    for (const { head } of this.made.splice(count)) {
      if (head.before !== undefined || head.version !== 1) throw new Error('only what was just added can be undone');
      this.#name(head, null);
      this.#byId.delete(head.recordId);
      this.#latest.delete(head);
      this.lastRecordId -= 1;
    }
  }

  touched(): Head[] {
    return [...this.#latest.keys()];
  }

  relabelled(): Head[] {
    return [...this.#renamed].filter(({ before, local }) => before !== undefined && before.local !== local);
  }
}

function headOf(address: RecordAddress, row: LightHeadRow & Partial<HeadRow>): Head {
  const { record_id, kind, version, active, created_seq, from_seq, data_hash, data = '', refs = null } = row;
  const loaded = row.data !== undefined;
  const about = row.about === null ? null : { identity: row.about, wref: row.about_wref ?? '' };
  const content = { data, dataHash: data_hash, refs };
  const before = { ...content, local: address.local, version };
  const shapeVersion = row.shape_version ?? undefined;
  const state = { kind, version, active: active === 1, about, createdSeq: created_seq, shapeVersion, loaded };
  return { ...address, recordId: record_id, fromSeq: from_seq, ...state, ...content, before };
}
