import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkFilter,
  compileFilter,
  type FilteredOperation,
  type StoredFilter,
  shapesIn,
  toShown,
  toStored,
} from './subscription-filter.rule.ts';

const operation = (fields: Partial<FilteredOperation> = {}): FilteredOperation => ({
  operation: 'add',
  kind: 'thing',
  shapeId: 1,
  shapeName: 'Signal',
  names: ['Signal/a'],
  ...fields,
});

const matches = (filter: StoredFilter, fields?: Partial<FilteredOperation>) => compileFilter(filter)(operation(fields));

describe('a filter', () => {
  it('that says nothing holds for everything', () => {
    expect(matches({})).toBe(true);
  });

  it('asks for all that it says, and of a list for one', () => {
    expect(matches({ operation: 'add', kind: ['thing', 'assertion'], shape: 1 })).toBe(true);
    expect(matches({ operation: 'add', kind: 'shape' })).toBe(false);
    expect(matches({ shape: [2, 3] })).toBe(false);
    expect(matches({ name: 'Signal/a', match: 'Signal/*' })).toBe(true);
    expect(matches({ match: ['Room/**', 'Sig**'] })).toBe(true);
  });

  it('combines filters', () => {
    expect(matches({ any: [{ shape: 2 }, { name: 'Signal/a' }] })).toBe(true);
    expect(matches({ all: [{ shape: 1 }, { not: { operation: 'retract' } }] })).toBe(true);
    expect(matches({ shape: 1, not: { any: [{ name: 'Signal/a' }] } })).toBe(false);
  });

  it('knows a renamed record by the name before too', () => {
    const names = ['Signal/a', 'Signal/b'];
    expect(matches({ name: 'Signal/a' }, { operation: 'rename', names })).toBe(true);
    expect(matches({ match: '*/b' }, { operation: 'rename', names })).toBe(true);
    expect(matches({ name: 'Signal/c' }, { operation: 'rename', names })).toBe(false);
  });

  it('of a shape is for its records, not for the shape itself', () => {
    expect(matches({ shape: 1 }, { kind: 'shape', shapeId: 0, names: ['Signal'] })).toBe(false);
    expect(matches({ kind: 'shape', name: 'Signal' }, { kind: 'shape', shapeId: 0, names: ['Signal'] })).toBe(true);
  });

  it('keeps shapes by their ids, built-in ones that are not there yet by name, and shows what they are called', () => {
    const filter: SubscriptionFilter = { shape: 'Signal', any: [{ shape: ['Arc', 'Room'] }], not: { shape: 'Signal' } };
    const ids = new Map([
      ['Signal', 1],
      ['Room', 2],
    ]);
    const stored = toStored(filter, (name) => ids.get(name));
    expect(stored).toEqual({ shape: 1, any: [{ shape: ['Arc', 2] }], not: { shape: 1 } });
    expect(shapesIn(stored)).toEqual([1, 'Arc', 2]);
    expect(toShown(stored, (id) => (id === 1 ? 'Tone' : 'Room'))).toEqual({
      shape: 'Tone',
      any: [{ shape: ['Arc', 'Room'] }],
      not: { shape: 'Tone' },
    });
    expect(matches(stored.any?.[0] ?? {}, { shapeId: 7, shapeName: 'Arc' })).toBe(true);
    expect(() => toStored({ shape: 'Nothing' }, () => undefined)).toThrow(/filter.shape: There is no shape "Nothing"/);
  });

  it('is refused where it is too much, or could never match', () => {
    const deep = (levels: number): SubscriptionFilter => (levels === 1 ? {} : { not: deep(levels - 1) });
    checkFilter(deep(8));
    expect(() => checkFilter(deep(9))).toThrow(/at most 8 levels/);
    const globs = (count: number) => ({ match: Array.from({ length: count }, (_, n) => `A/${n}*`) });
    checkFilter(globs(50));
    expect(() => checkFilter({ ...globs(50), kind: 'thing' })).toThrow(/at most 50 predicates. This one has 51/);
    const empty = Array.from({ length: 51 }, () => ({}));
    expect(() => checkFilter({ all: empty })).toThrow(/at most 50 predicates. This one has 52/);
    expect(() => checkFilter({ any: [{ match: 'a b' }] })).toThrow(/filter.any.0.match: "a b": a glob is a name/);
    expect(() => checkFilter({ shape: 'a\0b' })).toThrow(/filter.shape: .* is not a shape name/);
    expect(() => checkFilter({ not: { name: 'Signal/' } })).toThrow(/is not a record name/);
  });
});

function holds(filter: StoredFilter, made: FilteredOperation): boolean {
  const list = <Choice>(choices: Choice | Choice[] | undefined) => (choices === undefined ? [] : [choices].flat());
  const { all, any, not } = filter;
  if (filter.operation !== undefined && !list(filter.operation).some((one) => one === made.operation)) return false;
  if (filter.kind !== undefined && !list(filter.kind).some((one) => one === made.kind)) return false;
  const isOfShape = (shape: unknown) => made.shapeId !== 0 && (shape === made.shapeId || shape === made.shapeName);
  if (filter.shape !== undefined && !list(filter.shape).some(isOfShape)) return false;
  if (filter.name !== undefined && !made.names.some((name) => list(filter.name).includes(name))) return false;
  const expressions = list(filter.match).map(
    (glob) => new RegExp(`^${glob.replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'))}$`),
  );
  if (filter.match !== undefined && !made.names.some((name) => expressions.some((one) => one.test(name)))) return false;
  if (all?.some((part) => !holds(part, made))) return false;
  if (any !== undefined && !any.some((part) => holds(part, made))) return false;
  return not === undefined || !holds(not, made);
}

const NAMES = ['A', 'A/x', 'A/x/y', 'B/x', 'B/y'];
const some = <Choice>(...choices: Choice[]) => {
  const one = fc.constantFrom(...choices);
  return fc.oneof(one, fc.array(one, { minLength: 1, maxLength: 3 }));
};
const predicates = {
  operation: some('add', 'revise', 'retract', 'rename'),
  kind: some('thing', 'shape'),
  shape: some<number | string>(1, 2, 'Arc'),
  name: some(...NAMES),
  match: some('A/**', '*', '*/x', 'B/*', '**y'),
};
const leaf = fc.record(predicates, { requiredKeys: [] });
const node = (part: fc.Arbitrary<unknown>) => {
  const parts = fc.array(part, { minLength: 1, maxLength: 2 });
  return fc.oneof(leaf, fc.record({ ...predicates, all: parts, any: parts, not: part }, { requiredKeys: [] }));
};
const tree = node(node(leaf)) as fc.Arbitrary<StoredFilter>;
const anOperation = fc.record({
  operation: fc.constantFrom('add', 'revise', 'retract', 'rename'),
  kind: fc.constantFrom('thing', 'shape'),
  shapeId: fc.constantFrom(0, 1, 2, 3),
  shapeName: fc.constantFrom('A', 'B', 'Arc'),
  names: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 2 }),
});

it('a compiled filter says what the filter means', () => {
  fc.assert(
    fc.property(tree, fc.array(anOperation, { minLength: 1, maxLength: 10 }), (filter, operations) => {
      const compiled = compileFilter(JSON.parse(JSON.stringify(filter)));
      expect(operations.map(compiled)).toEqual(operations.map((made) => holds(filter, made)));
    }),
    { numRuns: 300 },
  );
});
