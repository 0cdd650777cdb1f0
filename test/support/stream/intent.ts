// Random operations of every kind on few names, so that they interact, and random ways to send them as a stream.
import fc from 'fast-check';

const LOCALS = ['a', 'B', 'é', 'a/b'];
const SHAPES = ['Room', 'Sensor', 'Hall'];
const LABELS = [1, 2, 3, 4];

/** Names chosen by users. The server made all others. */
export const POOL = new Set([
  ...SHAPES,
  ...['Arc', 'Bond', 'Set', 'List', 'Pair'],
  ...[...SHAPES, 'Arc', 'Set', 'List'].flatMap((shape) => LOCALS.map((local) => `${shape}/${local}`)),
]);

const DEFINITIONS = [
  { fields: { 'n?': { type: 'number', indexed: true } } },
  { fields: { 'n?': 'number', 'room?': { type: 'wref', indexed: true }, 'links?': ['wref'] } },
  { fields: { 'n?': { type: 'number', indexed: true }, 'room?': { type: 'wref', shape: 'Room' }, 'links?': ['wref'] } },
];

export const START = [
  { kind: 'shape', name: 'Room', data: DEFINITIONS[0] },
  { kind: 'shape', name: 'Sensor', data: DEFINITIONS[1] },
  { name: 'Room/a', data: {} },
];
export const FAR = [
  { kind: 'shape', name: 'Star', data: { fields: {} } },
  { name: 'Star/sol', data: {} },
];
const FAR_WREF = 'wh:far/world/Star/sol';

const local = fc.constantFrom(...LOCALS);
const label = fc.constantFrom(...LABELS);
const shape = fc.constantFrom(...SHAPES);
const name = fc.tuple(shape, local).map((parts) => parts.join('/'));
const token = label.map((n) => `#${n}`);
const minted = fc.tuple(shape, local, label).map(([one, two, n]) => `${one}/${two}-$${n}`);
const target = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 5, arbitrary: token },
  {
    weight: 1,
    arbitrary: fc.tuple(name, fc.constantFrom('@v1', '@v2', '@HEAD', '@ALL')).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('Room', FAR_WREF, 'wh:nobody/nothing/A/b', '#x', 'no wref') },
);
const subject = fc.oneof({ weight: 3, arbitrary: name }, { weight: 2, arbitrary: token });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 1 });
const data = fc.record({
  n: optional(fc.constantFrom<number | string>(0, 1, 2, 'wrong')),
  room: optional(target),
  links: optional(fc.array(target, { maxLength: 3 })),
});
const skipExisting = optional(fc.boolean());
const expectedVersion = optional(fc.constantFrom(1, 2));
const constant = <Value extends string>(value: Value) => fc.constant(value);

const operation = fc.oneof(
  { weight: 8, arbitrary: fc.record({ name, data, skipExisting }) },
  { weight: 6, arbitrary: fc.record({ name: minted, data }) },
  { weight: 3, arbitrary: fc.record({ name: fc.oneof(name, minted), data, about: target }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('arc', 'set', 'list'),
      name: optional(local),
      members: fc.array(target, { minLength: 2, maxLength: 2 }),
      skipExisting,
    }),
  },
  { weight: 8, arbitrary: fc.record({ operation: constant('revise'), name: subject, data, expectedVersion }) },
  { weight: 3, arbitrary: fc.record({ operation: constant('retract'), name: subject, expectedVersion }) },
  { weight: 4, arbitrary: fc.record({ operation: constant('rename'), name: subject, newName: name }) },
  {
    weight: 1,
    arbitrary: fc.record({
      operation: fc.constantFrom('add', 'revise'),
      kind: constant('shape'),
      name: shape,
      data: fc.constantFrom(...DEFINITIONS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ operation: constant('rename'), name: shape, newName: shape }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({}, 7, null, [], { name: 'Room/a', data: {}, colour: 'red' }) },
);

export interface ChunkIntent {
  readonly lineCount: number;
  /**
   * `again` repeats acknowledged lines, `ahead` skips lines, and `broken` ends with a line that is not JSON. `whole`
   * first asks for all or nothing, and `other` runs beside another stream.
   */
  readonly way: 'plain' | 'again' | 'ahead' | 'broken' | 'whole' | 'empty' | 'other';
}

export interface StreamIntent {
  /** A blank line is not an operation. */
  readonly lines: readonly (object | string)[];
  /** The last chunk takes all remaining lines. */
  readonly chunks: readonly ChunkIntent[];
}

const chunk: fc.Arbitrary<ChunkIntent> = fc.record({
  lineCount: fc.integer({ min: 1, max: 8 }),
  way: fc.constantFrom('plain', 'plain', 'plain', 'again', 'ahead', 'broken', 'whole', 'empty', 'other'),
});

/** Drops undefined fields. */
const asSent = (value: unknown): object => JSON.parse(JSON.stringify(value));

export const streamIntent: fc.Arbitrary<StreamIntent> = fc.record({
  lines: fc.array(
    fc.oneof({ weight: 12, arbitrary: operation.map(asSent) }, { weight: 1, arbitrary: fc.constantFrom('', ' \t') }),
    { minLength: 1, maxLength: 60, size: 'max' },
  ),
  chunks: fc.array(chunk, { minLength: 1, maxLength: 20, size: 'max' }),
});
