// Operations as the tests send them, and the model's expectation for each.
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

/** Possible results of an operation: `applied`, `noop`, or the permitted error codes. */
export interface Expected {
  readonly outcomes: readonly string[];
  readonly name?: string;
  readonly version?: number;
}

export interface Outcome {
  readonly status: 'applied' | 'noop';
  readonly id: number;
}

export function labelIn(name: string): number | undefined {
  const label = /\$([0-9]+)/.exec(name)?.[1];
  return label === undefined ? undefined : Number(label);
}

export function collectionName(type: CollectionType, name: string): string {
  const { shapeName } = COLLECTION_RULES[type];
  return name.startsWith(`${shapeName}/`) ? name : `${shapeName}/${name}`;
}
