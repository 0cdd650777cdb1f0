// The known facts of a record while a world is written: enough to write the next change.
import type { OperationResult } from '@cairn/protocol/commit';
import type { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import type { WorldFields } from './field.ts';

export type CollectionType = (typeof COLLECTION_TYPES)[number];

export const COLLECTIONS: Readonly<Record<CollectionType, string>> = {
  arc: 'Arc',
  bond: 'Bond',
  set: 'Set',
  list: 'List',
  pair: 'Pair',
};

export const isBuiltIn = (shapeName: string) => Object.values(COLLECTIONS).includes(shapeName);

export class WorldRecord {
  readonly kind: OperationResult['kind'];
  readonly shape: WorldRecord | undefined;
  local: string;
  durableId = '';
  versions = 1;
  active = true;
  /** For a shape: the fields that data must match now. */
  fields: WorldFields = new Map();

  constructor({ kind, shape, local }: Pick<WorldRecord, 'kind' | 'shape' | 'local'>) {
    this.kind = kind;
    this.shape = shape;
    this.local = local;
  }

  get name(): string {
    return this.shape === undefined ? this.local : `${this.shape.local}/${this.local}`;
  }
}
