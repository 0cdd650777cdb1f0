// The shapes that a commit needs: their validators and indexed fields.

import type { ShapeValidator } from '@cairn/model/shape-validator';
import type { Reader } from '../engine/database.ts';
import type { Head, RecordAddress, RecordSet } from './record-set.sql.ts';
import { AllowedShapes } from './reference/reference-run.rule.ts';
import { FIND_LAST_FIELDS, FIND_SHAPE_FIELDS, type ShapeFieldRow } from './statement.sql.ts';
import type { IndexedField, WriterMemory } from './writer-memory.rule.ts';

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

  /** Returns the same object as long as the shape does not change. */
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

  /** A field that this commit itself added leaves no row. */
  #drop(field: { shapeId: number; fieldId: number }): void {
    const at = this.added.findIndex(({ shapeId, fieldId }) => shapeId === field.shapeId && fieldId === field.fieldId);
    if (at === -1) this.closed.push(field);
    else this.added.splice(at, 1);
  }
}
