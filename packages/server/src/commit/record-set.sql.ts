// The records and shapes that a commit touches: their state before it, and the versions and renames that it makes.

import type { OperationName } from '@cairn/model/operation';
import { parseShape } from '@cairn/model/shape';
import { compileShape, type ShapeValidator } from '@cairn/model/shape-validator';
import { listSpellings, type Reference } from '@cairn/model/wref';
import type { WrittenData } from '@cairn/model/written-data';
import { compileFilter, type MatchesOperation } from '../action/subscription-filter.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { requireIntactHead } from './integrity.rule.ts';
import { AllowedShapes } from './reference/reference-run.rule.ts';
import { idKey, nameKey } from './reference/target-lookup.sql.ts';
import {
  FIND_HEADS,
  FIND_LAST_FIELDS,
  FIND_LIGHT_HEADS,
  FIND_SHAPE_FIELDS,
  type HeadRow,
  type LightHeadRow,
  type ShapeFieldRow,
} from './statement.sql.ts';

export interface RecordAddress {
  readonly shapeId: number;
  /** A shape has shapeId 0 and its whole name here. */
  readonly local: string;
}

export interface About {
  readonly identity: string;
  readonly wref: string;
}

export interface Content {
  readonly data: string;
  readonly value?: unknown;
  readonly written?: WrittenData | undefined;
  readonly dataHash: Uint8Array;
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
  /** May be missing, because retracting and renaming do not need data and references. */
  readonly loaded: boolean;
  readonly createdSeq: number;
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
  /** `null` for a name that is known to be free. */
  readonly #named = new Map<number, Map<string, Head | null>>();
  readonly #byId = new Map<number, Head>();
  readonly #latest = new Map<Head, MadeVersion>();
  readonly #renamed = new Set<Head>();
  readonly made: Made[] = [];
  lastRecordId: number;
  /** Counts name changes, so that caches of resolved names can detect them. */
  renameCount = 0;

  constructor(start: RecordSet['start']) {
    this.start = start;
    this.lastRecordId = start.lastRecordId;
  }

  begin({ repoSeq, lastRecordId }: { repoSeq: number; lastRecordId: number }): void {
    this.start = { repoId: this.start.repoId, repoSeq: repoSeq + 1, lastRecordId };
    this.lastRecordId = lastRecordId;
  }

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

  #unknown({ shapeId, local: given }: RecordAddress): RecordAddress[] {
    const unknown = listSpellings(given)
      .map((local) => ({ shapeId, local }))
      .filter((address) => !this.knows(address));
    for (const address of unknown) this.#name(address, null);
    return unknown;
  }

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

interface AddedField extends IndexedField {
  readonly shapeId: number;
  /** 0 if existing records must still be indexed; null if there are none. */
  readonly builtTo: number | null;
}

export class ShapeSet {
  readonly #records: RecordSet;
  readonly #memory: WriterMemory;
  readonly #open = new Map<number, IndexedField[]>();
  readonly #lastFieldIds = new Map<number, number>();
  readonly #allowed = new Map<Uint8Array, AllowedShapes>();
  readonly #validators = new Map<Uint8Array, ShapeValidator>();
  readonly added: AddedField[] = [];
  readonly closed: { shapeId: number; fieldId: number }[] = [];

  constructor(records: RecordSet, memory: WriterMemory) {
    this.#records = records;
    this.#memory = memory;
  }

  async load(reader: Reader, names: Iterable<string>): Promise<void> {
    const [records, memory] = [this.#records, this.#memory];
    const { repoId, repoSeq } = records.start;
    const before = { repoId, repoSeq: repoSeq - 1 };
    const fresh: RecordAddress[] = [];
    for (const local of new Set(names)) {
      const known = memory.shape(before, local);
      if (known === undefined) {
        fresh.push({ shapeId: 0, local });
        continue;
      }
      records.keepLoaded(known.head);
      this.#open.set(known.head.record_id, [...known.fields]);
    }
    if (fresh.length === 0) return;
    const heads = await records.load(reader, fresh);
    const rows = heads.map(({ record_id }) => [record_id]);
    for (const { record_id } of heads) this.#open.set(record_id, []);
    const found = await reader.bulk<ShapeFieldRow>(FIND_SHAPE_FIELDS, { common: [repoId], rows });
    for (const { ord, field_id, path } of found) {
      this.#open.get(heads[ord]?.record_id ?? 0)?.push({ fieldId: field_id, path });
    }
    for (const head of heads) memory.keepShape(before, { head, fields: [...this.fieldsOf(head.record_id)] });
  }

  /** Ids of fields are never reused, even after their field was dropped. Returns the shapes that exist. */
  async loadLastFields(reader: Reader, names: Iterable<string>): Promise<Head[]> {
    const heads = [...new Set(names)].map((name) => this.find(name)).filter((head) => head !== undefined);
    const rows = heads.map(({ recordId }) => [recordId]);
    const found = await reader.bulk<{ last: number | null }>(FIND_LAST_FIELDS, {
      common: [this.#records.start.repoId],
      rows,
    });
    for (const { ord, last } of found) {
      const shape = heads[ord];
      if (shape !== undefined) this.#lastFieldIds.set(shape.recordId, last ?? 0);
    }
    return heads;
  }

  find(name: string): Head | undefined {
    return this.#records.find({ shapeId: 0, local: name });
  }

  validator(definition: Pick<Head, 'data' | 'dataHash'>): ShapeValidator {
    const known = this.#validators.get(definition.dataHash) ?? this.#memory.validator(definition);
    this.#validators.set(definition.dataHash, known);
    return known;
  }

  allowedShapes(shape: Head): AllowedShapes {
    const known = this.#allowed.get(shape.dataHash) ?? new AllowedShapes(shape);
    this.#allowed.set(shape.dataHash, known);
    return known;
  }

  fieldsOf(shapeId: number): readonly IndexedField[] {
    return this.#open.get(shapeId) ?? [];
  }

  indexFields(head: Head): void {
    const shapeId = head.recordId;
    const wanted = new Set(this.validator(head).indexedFields.map(({ path }) => path));
    const present = this.fieldsOf(shapeId);
    for (const { fieldId } of present.filter(({ path }) => !wanted.has(path))) this.#drop({ shapeId, fieldId });
    const kept = present.filter(({ path }) => wanted.has(path));
    for (const { path } of kept) wanted.delete(path);
    for (const path of wanted) {
      const fieldId = (this.#lastFieldIds.get(shapeId) ?? 0) + 1;
      this.#lastFieldIds.set(shapeId, fieldId);
      kept.push({ fieldId, path });
      this.added.push({ fieldId, path, shapeId, builtTo: head.before === undefined ? null : 0 });
    }
    this.#open.set(shapeId, kept);
  }

  #drop(field: { shapeId: number; fieldId: number }): void {
    const at = this.added.findIndex(({ shapeId, fieldId }) => shapeId === field.shapeId && fieldId === field.fieldId);
    if (at === -1) this.closed.push(field);
    else this.added.splice(at, 1);
  }
}

// Validators and filters are keyed by text or hash and never become stale. Stored shapes are valid for one sequence of
// their repository.

const VALIDATORS_MAX = 1_000;
const FILTERS_MAX = 1_000;
const LATE_MAX = 10_000;
const SHAPES_MAX = 1_000;

export interface IndexedField {
  readonly fieldId: number;
  readonly path: string;
}

export interface StoredShape {
  readonly head: HeadRow;
  readonly fields: readonly IndexedField[];
}

interface At {
  readonly repoId: number;
  readonly repoSeq: number;
}

interface RepositoryShapes {
  /** At any other sequence, another writer may have changed a shape. */
  repoSeq: number;
  readonly byName: Map<string, StoredShape>;
}

export class WriterMemory {
  readonly #validators = new Map<string, ShapeValidator>();
  readonly #filters = new Map<string, MatchesOperation>();
  readonly #shapes = new Map<number, RepositoryShapes>();
  #shapeCount = 0;
  readonly #late = new Set<string>();

  /** The upload has lost its place to another one, so none of its later chunks may be applied. */
  noteLate(submissionId: string): void {
    if (submissionId === '') return;
    if (this.#late.size >= LATE_MAX) this.#late.clear();
    this.#late.add(submissionId);
  }

  isLate(submissionId: string): boolean {
    return this.#late.has(submissionId);
  }

  shape({ repoId, repoSeq }: At, name: string): StoredShape | undefined {
    const known = this.#shapes.get(repoId);
    return known?.repoSeq === repoSeq ? known.byName.get(name) : undefined;
  }

  keepShape({ repoId, repoSeq }: At, shape: StoredShape): void {
    if (this.#shapeCount >= SHAPES_MAX) this.forgetShapes();
    let known = this.#shapes.get(repoId);
    if (known?.repoSeq !== repoSeq) {
      this.#shapeCount -= known?.byName.size ?? 0;
      known = { repoSeq, byName: new Map() };
      this.#shapes.set(repoId, known);
    }
    this.#shapeCount += known.byName.has(shape.head.name) ? 0 : 1;
    known.byName.set(shape.head.name, shape);
  }

  advanceShapes({ repoId, repoSeq }: At): void {
    const known = this.#shapes.get(repoId);
    if (known?.repoSeq === repoSeq) known.repoSeq++;
  }

  /** Needed after a rollback, because another commit may then get the same sequence. */
  forgetShapes(): void {
    this.#shapes.clear();
    this.#shapeCount = 0;
  }

  validator({ data, dataHash }: { data: string; dataHash: Uint8Array }): ShapeValidator {
    const key = Buffer.from(dataHash).toString('base64');
    const made = () => compileShape(parseShape(JSON.parse(data)));
    return remembered(this.#validators, { key, made, max: VALIDATORS_MAX });
  }

  filter(text: string): MatchesOperation {
    const made = () => compileFilter(JSON.parse(text));
    return remembered(this.#filters, { key: text, made, max: FILTERS_MAX });
  }
}

interface Remembering<Item> {
  readonly key: string;
  readonly made: () => Item;
  readonly max: number;
}

function remembered<Item>(memory: Map<string, Item>, { key, made, max }: Remembering<Item>): Item {
  const known = memory.get(key) ?? made();
  memory.delete(key);
  memory.set(key, known);
  if (memory.size > max) {
    const [oldest] = memory.keys();
    if (oldest !== undefined) memory.delete(oldest);
  }
  return known;
}
