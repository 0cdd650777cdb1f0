// Operations as the tests send them, and what the model says of each.
import { COLLECTION_RULES, type CollectionType } from './collection.ts';

export interface SentOperation {
  readonly operation: 'add' | 'revise' | 'retract' | 'rename';
  readonly kind?: 'shape';
  readonly name?: string;
  readonly data?: unknown;
  readonly about?: string;
  readonly type?: CollectionType;
  readonly members?: readonly string[];
  readonly newName?: string;
  readonly expectedVersion?: number;
  readonly skipExisting?: boolean;
}

/** What may come of an operation: `applied`, `noop`, or the codes that it may be refused with. */
export interface Expected {
  readonly outcomes: readonly string[];
  /** What it made or changed, as it is named and numbered right then. */
  readonly name?: string;
  readonly version?: number;
}

/** What an operation did, and to which record. */
export interface Outcome {
  readonly status: 'applied' | 'noop';
  readonly id: number;
}

/** The number of the token in a name. */
export function labelIn(name: string): number | undefined {
  const label = /\$([0-9]+)/.exec(name)?.[1];
  return label === undefined ? undefined : Number(label);
}

/** The full name of a collection, which may be sent without its shape. */
export function collectionName(type: CollectionType, name: string): string {
  const { shapeName } = COLLECTION_RULES[type];
  return name.startsWith(`${shapeName}/`) ? name : `${shapeName}/${name}`;
}
