// The shapes that a commit needs: their validators, and which of their fields are indexed.
import type { ShapeValidator } from '../model/shape-validator.ts';
import { CLOSE_SHAPE_FIELDS, FIND_SHAPE_FIELDS, INSERT_SHAPE_FIELDS, type ShapeFieldRow } from './commit-statement.ts';
import type { Reader, Transaction } from './database.ts';
import type { Head, RecordSet } from './record-set.ts';
import type { WriterMemory } from './writer-memory.ts';

export interface IndexedField {
  readonly fieldId: number;
  readonly path: string;
}

interface ShapeFields {
  /** Indexed now; the commit keeps their index. */
  open: IndexedField[];
  lastFieldId: number;
}

interface AddedField extends IndexedField {
  readonly shapeId: number;
  /** 0 when records from before must still be brought in, null when there are none. */
  readonly builtTo: number | null;
}

interface ShapeSetOptions {
  readonly repoId: number;
  readonly repoSeq: number;
  readonly records: RecordSet;
  readonly memory: WriterMemory;
}

export class ShapeSet {
  readonly #options: ShapeSetOptions;
  readonly #fields = new Map<number, ShapeFields>();
  readonly #added: AddedField[] = [];
  readonly #closed: { shapeId: number; fieldId: number }[] = [];

  constructor(options: ShapeSetOptions) {
    this.#options = options;
  }

  async load(reader: Reader, names: Iterable<string>): Promise<void> {
    const { records, repoId } = this.#options;
    const addresses = [...new Set(names)].map((local) => ({ shapeId: 0, local }));
    await records.load(reader, addresses, 'shape');
    const heads = addresses.map((address) => records.find(address)).filter((head) => head !== undefined);
    const rows = await reader.bulk<ShapeFieldRow>(FIND_SHAPE_FIELDS, {
      common: [repoId],
      rows: heads.map(({ recordId }) => [recordId]),
    });
    for (const [ord, { recordId }] of heads.entries())
      this.#keepFields(
        recordId,
        rows.filter((row) => row.ord === ord),
      );
  }

  #keepFields(shapeId: number, rows: ShapeFieldRow[]): void {
    const open = rows.filter(({ to_seq }) => to_seq === null);
    this.#fields.set(shapeId, {
      open: open.map(({ field_id, path }) => ({ fieldId: field_id, path })),
      lastFieldId: Math.max(0, ...rows.map(({ field_id }) => field_id)),
    });
  }

  find(name: string): Head | undefined {
    return this.#options.records.find({ shapeId: 0, local: name });
  }

  validator({ recordId, version, data }: Head): ShapeValidator {
    const { memory, repoId } = this.#options;
    return memory.validator({ repoId, recordId, version, data });
  }

  fieldsOf(shapeId: number): readonly IndexedField[] {
    return this.#fields.get(shapeId)?.open ?? [];
  }

  /** After a shape was made or revised: which fields are indexed from now on. */
  indexFields(head: Head): void {
    const fields = this.#fields.get(head.recordId) ?? { open: [], lastFieldId: 0 };
    const wanted = new Set(this.validator(head).indexedFields.map(({ path }) => path));
    const dropped = fields.open.filter(({ path }) => !wanted.has(path));
    for (const { fieldId } of dropped) this.#closed.push({ shapeId: head.recordId, fieldId });
    fields.open = fields.open.filter(({ path }) => wanted.has(path));
    for (const { path } of fields.open) wanted.delete(path);
    for (const path of wanted) {
      const field = { fieldId: ++fields.lastFieldId, path };
      fields.open.push(field);
      this.#added.push({ ...field, shapeId: head.recordId, builtTo: head.before === undefined ? null : 0 });
    }
    this.#fields.set(head.recordId, fields);
  }

  async write(tx: Transaction): Promise<void> {
    const { repoId, repoSeq } = this.#options;
    const common = [repoId];
    await tx.bulk(INSERT_SHAPE_FIELDS, {
      common,
      rows: this.#added.map(({ shapeId, fieldId, path, builtTo }) => [shapeId, fieldId, path, repoSeq, builtTo]),
    });
    await tx.bulk(CLOSE_SHAPE_FIELDS, {
      common,
      rows: this.#closed.map(({ shapeId, fieldId }) => [shapeId, fieldId, repoSeq]),
    });
  }
}
