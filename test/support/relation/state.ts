// The model of a repository, directly from the design: records with all their versions, names relative to shapes,
// references by identity. States are immutable; a commit makes a new one.
import { pointerTo } from '@cairn/model/json-pointer';

/** A reference to a version of a record, in data or as the subject of an assertion. */
export class ModelRef {
  readonly repo: string;
  readonly id: number;
  readonly version: number;
  /** True if the writer named the version. */
  readonly exact: boolean;
  /** The original text, for a record in another repository. It is never resolved again. */
  readonly text: string | undefined;
  /** In a shape's definition: the original name. It requires a shape in any version. */
  readonly asked: string | undefined;

  constructor({ repo, id, version, exact, text, asked }: Omit<ModelRef, 'isSame' | 'asked'> & { asked?: string }) {
    this.repo = repo;
    this.id = id;
    this.version = version;
    this.exact = exact;
    this.text = text;
    this.asked = asked;
  }

  isSame({ repo, id }: ModelRef): boolean {
    return this.repo === repo && this.id === id;
  }
}

export interface ModelVersion {
  readonly active: boolean;
  /** JSON with a `ModelRef` for each reference. */
  readonly data: unknown;
}

export interface ModelRecord {
  readonly id: number;
  readonly kind: 'thing' | 'assertion' | 'collection' | 'shape';
  readonly shapeId: number;
  /** Relative to its shape. A placeholder until the commit reports the minted or derived name. */
  readonly local: string;
  readonly versions: readonly ModelVersion[];
  readonly about: ModelRef | undefined;
}

export class ModelState {
  /** The record with ID n is at index n - 1. */
  readonly records: readonly ModelRecord[];

  constructor(records: readonly ModelRecord[]) {
    this.records = records;
  }

  record(id: number): ModelRecord {
    const record = this.records[id - 1];
    if (record === undefined) throw new Error(`the model has no record ${id}`);
    return record;
  }

  find(name: string): ModelRecord | undefined {
    const [shapeName = '', ...rest] = name.split('/');
    const shape = this.findUnder(0, shapeName);
    return rest.length === 0 || shape === undefined ? shape : this.findUnder(shape.id, rest.join('/'));
  }

  findUnder(shapeId: number, local: string): ModelRecord | undefined {
    return this.records.find((record) => record.shapeId === shapeId && record.local === local);
  }

  nameOf({ shapeId, local }: ModelRecord): string {
    return shapeId === 0 ? local : `${this.record(shapeId).local}/${local}`;
  }

  with(record: ModelRecord): ModelState {
    return new ModelState(this.records.with(record.id - 1, record));
  }

  withNew(record: Omit<ModelRecord, 'id'>): ModelState {
    return new ModelState([...this.records, { ...record, id: this.records.length + 1 }]);
  }

  /** Data as a reader sees it in this state. */
  render(value: unknown): unknown {
    return withRefs(value, ({ id, version, text, asked }) => {
      const name = text ?? this.nameOf(this.record(id));
      return text !== undefined || asked !== undefined ? name : `${name}@v${version}`;
    });
  }
}

export function withRefs(value: unknown, change: (ref: ModelRef) => unknown): unknown {
  if (value instanceof ModelRef) return change(value);
  if (Array.isArray(value)) return value.map((item) => withRefs(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withRefs(member, change)]));
}

export function headOf({ versions }: ModelRecord): ModelVersion {
  const head = versions.at(-1);
  if (head === undefined) throw new Error('a record has a version');
  return head;
}

/** True if new data equals the present data. References compare by identity, and by version if one is named. */
export function isSameData(present: unknown, given: unknown): boolean {
  if (given instanceof ModelRef || present instanceof ModelRef) {
    if (!(given instanceof ModelRef && present instanceof ModelRef && given.isSame(present))) return false;
    return !given.exact || given.version === present.version;
  }
  if (typeof given !== 'object' || given === null || typeof present !== 'object' || present === null) {
    return Object.is(given, present);
  }
  if (Array.isArray(given) !== Array.isArray(present)) return false;
  const keys = Object.keys(given);
  if (keys.length !== Object.keys(present).length) return false;
  return keys.every(
    (key) => Object.hasOwn(present, key) && isSameData(Reflect.get(present, key), Reflect.get(given, key)),
  );
}

export interface PlacedRef {
  readonly path: string;
  readonly ref: ModelRef;
}

export function refsIn(value: unknown, path = ''): PlacedRef[] {
  if (value instanceof ModelRef) return [{ path, ref: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => refsIn(member, pointerTo(path, key)));
}
