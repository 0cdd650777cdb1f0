// Random plans of commits, made before the records exist. Plans pick records by number, which become names, durable IDs
// or tokens when the operation is written.
import fc from 'fast-check';
import type { CollectionType } from './collection.ts';

export interface TargetIntent {
  readonly by: 'record' | 'elsewhere' | 'name' | 'token' | 'wrong';
  readonly pick: number;
  readonly form: 'name' | 'durable' | 'canonical';
  readonly pin: 'none' | 'HEAD' | 'present' | 'first' | 'beyond';
}

export interface DataIntent {
  readonly room?: TargetIntent | undefined;
  readonly home?: TargetIntent | undefined;
  readonly deep?: TargetIntent | undefined;
  readonly links?: readonly TargetIntent[] | undefined;
  readonly n?: number | string | undefined;
  readonly label?: string | undefined;
}

export interface NameIntent {
  readonly shape: number;
  readonly local: string;
  /** Requests a minted name. */
  readonly label?: number | undefined;
}

export interface SubjectIntent {
  readonly subject: TargetIntent;
  readonly expected: Expectation;
}

interface AddIntent {
  readonly do: 'add';
  readonly name: NameIntent;
  readonly data: DataIntent;
  readonly about?: TargetIntent | undefined;
  readonly skipExisting: boolean;
}

interface AddShapeIntent {
  readonly do: 'addShape';
  readonly name: string;
  readonly definition: number;
}

interface CollectIntent {
  readonly do: 'collect';
  readonly type: CollectionType;
  readonly members: readonly TargetIntent[];
  readonly name?: NameIntent | undefined;
  readonly full: boolean;
  readonly skipExisting: boolean;
}

interface CollectAgainIntent {
  readonly do: 'collectAgain';
  readonly pick: number;
  /** Pins the members to their stored versions. */
  readonly pinned: boolean;
}

interface ReviseIntent extends SubjectIntent {
  readonly do: 'revise';
  readonly data: DataIntent;
  /** Sends back the data as read, with small changes or none. */
  readonly keep: boolean;
  readonly definition: number;
  readonly members: readonly TargetIntent[];
  /** Gives the members of a collection as data. */
  readonly byData: boolean;
}

interface RetractIntent extends SubjectIntent {
  readonly do: 'retract';
}

interface RenameIntent extends SubjectIntent {
  readonly do: 'rename';
  readonly local: string;
  readonly shapeName: string;
  /** Uses a name under that shape, whatever the subject is. */
  readonly stray: boolean;
}

export type OperationIntent =
  | AddIntent
  | AddShapeIntent
  | CollectIntent
  | CollectAgainIntent
  | ReviseIntent
  | RetractIntent
  | RenameIntent;

export type Expectation = 'none' | 'present' | 'wrong';

export interface CommitIntent {
  readonly isFar: boolean;
  readonly atomic: boolean;
  readonly mayRead: boolean;
  readonly operations: readonly OperationIntent[];
}

/** Names whose order depends on whether they compare by bytes, letters or segments. */
export const LOCALS = ['a', 'B', 'é', 'a/b'];
export const SHAPE_NAMES = ['Room', 'Hall', 'Sensor', 'Probe', 'Lamp', 'Star'];

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
/** Prefers the first and last records, so that more changes happen to them. -1 is the last record. */
const pick = fc.oneof(fc.nat(9), fc.nat(40), fc.integer({ min: -5, max: -1 }));

function weighted<Value>(...choices: readonly [weight: number, value: Value][]): fc.Arbitrary<Value> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}

const target: fc.Arbitrary<TargetIntent> = fc.record({
  by: weighted<TargetIntent['by']>([20, 'record'], [6, 'elsewhere'], [3, 'name'], [2, 'token'], [1, 'wrong']),
  pick,
  form: weighted<TargetIntent['form']>([2, 'name'], [1, 'durable'], [1, 'canonical']),
  pin: weighted<TargetIntent['pin']>([8, 'none'], [2, 'HEAD'], [4, 'present'], [4, 'first'], [1, 'beyond']),
});

const subject: fc.Arbitrary<TargetIntent> = fc.record({
  by: weighted<TargetIntent['by']>([16, 'record'], [2, 'name'], [1, 'token']),
  pick,
  form: weighted<TargetIntent['form']>([2, 'name'], [1, 'durable']),
  pin: fc.constant('none'),
});

const data: fc.Arbitrary<DataIntent> = fc.record({
  room: optional(target),
  home: fc.option(target, { nil: undefined, freq: 1 }),
  deep: fc.option(target, { nil: undefined, freq: 1 }),
  links: optional(fc.array(target, { maxLength: 2 })),
  n: optional(weighted<number | string>([4, 0], [4, 1], [1, 'wrong'])),
  label: optional(fc.constantFrom('x', 'y')),
});

const name: fc.Arbitrary<NameIntent> = fc.record({
  shape: pick,
  local: fc.constantFrom(...LOCALS),
  label: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 1 }),
});

const expected = weighted<Expectation>([12, 'none'], [3, 'present'], [1, 'wrong']);
const skipExisting = fc.boolean();
const seldom = weighted([1, true], [9, false]);

const collect: fc.Arbitrary<CollectIntent> = fc.record({
  do: fc.constant('collect'),
  type: fc.constantFrom<CollectionType>('arc', 'bond', 'set', 'list', 'pair'),
  members: fc.oneof(
    { weight: 6, arbitrary: fc.array(target, { minLength: 2, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(target, { maxLength: 3 }) },
  ),
  name: optional(name),
  full: fc.boolean(),
  skipExisting,
});

const revise: fc.Arbitrary<ReviseIntent> = fc.record({
  do: fc.constant('revise'),
  subject,
  data,
  keep: fc.boolean(),
  byData: fc.boolean(),
  definition: pick,
  members: fc.array(target, { minLength: 2, maxLength: 2 }),
  expected,
});

const rename: fc.Arbitrary<RenameIntent> = fc.record({
  do: fc.constant('rename'),
  subject,
  local: weighted(...LOCALS.map((local): [number, string] => [5, local]), [1, '$1']),
  shapeName: weighted(...SHAPE_NAMES.map((shapeName): [number, string] => [4, shapeName]), [1, 'Set']),
  stray: seldom,
  expected,
});

const operation: fc.Arbitrary<OperationIntent> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('add'), name, data, about: optional(target), skipExisting }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('addShape'), name: fc.constantFrom(...SHAPE_NAMES), definition: pick }),
  },
  { weight: 4, arbitrary: collect },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('collectAgain'), pick, pinned: fc.boolean() }) },
  { weight: 8, arbitrary: revise },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('retract'), subject, expected }) },
  { weight: 6, arbitrary: rename },
);

export const commitIntents: fc.Arbitrary<readonly CommitIntent[]> = fc.array(
  fc.record({
    isFar: weighted([1, true], [3, false]),
    atomic: weighted([1, true], [3, false]),
    mayRead: weighted([5, true], [1, false]),
    operations: fc.array(operation, { minLength: 1, maxLength: 10, size: 'max' }),
  }),
  { minLength: 1, maxLength: 20, size: 'max' },
);
