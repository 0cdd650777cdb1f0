// Random shapes, each with matching data.
import fc from 'fast-check';

interface FieldSample {
  readonly definition: unknown;
  readonly value: fc.Arbitrary<unknown>;
}

export interface ShapeSample {
  readonly definition: { readonly fields: Record<string, unknown> };
  readonly data: Record<string, unknown>;
}

const AWKWARD_NAMES = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'type',
  'fields',
  'a/b',
  'm~n',
  'x.y',
  '0',
  ' ',
  '🜁',
];

const fieldName = fc.oneof(
  fc.constantFrom(...AWKWARD_NAMES),
  fc.string({ minLength: 1, maxLength: 8 }).filter((name) => !name.endsWith('?')),
);

const text = fc.string({ unit: 'binary', maxLength: 12 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });

const stringSample = fc.oneof(
  fc.constant({ definition: 'string', value: text }),
  fc.constant({
    definition: { type: 'string', pattern: '^[A-Z]{2}[0-9]+$', description: 'A code.' },
    value: fc.stringMatching(/^[A-Z]{2}[0-9]+$/),
  }),
  fc.array(text, { minLength: 1, maxLength: 5 }).map((choices) => ({
    definition: { type: 'string', enum: choices, indexed: false },
    value: fc.constantFrom(...choices),
  })),
  ordered(fc.nat(8)).map(([minLength, maxLength]) => ({
    definition: { type: 'string', minLength, maxLength },
    value: fc.string({ unit: 'binary', minLength, maxLength }),
  })),
);

const numberSample = fc.oneof(
  fc.constant({ definition: 'number', value: number }),
  fc.constant({ definition: { type: 'number', integer: true }, value: fc.integer() }),
  ordered(number).map(([minimum, maximum]) => ({
    definition: { type: 'number', minimum, maximum },
    value: fc.double({ noNaN: true, min: minimum, max: maximum }),
  })),
);

const otherSample = fc.constantFrom<FieldSample>(
  { definition: 'boolean', value: fc.boolean() },
  { definition: { type: 'boolean', enum: [true] }, value: fc.constant(true) },
  { definition: 'wref', value: fc.string({ minLength: 1 }) },
  { definition: { type: 'wref', shape: ['Person', 'Team'] }, value: fc.constant('Person/ada') },
  { definition: 'array', value: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }) },
  { definition: 'json', value: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null) },
);

const { field, fields } = fc.letrec<{ field: FieldSample; fields: FieldSample }>((tie) => ({
  field: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'field' },
    stringSample,
    numberSample,
    otherSample,
    tie('field').map(arrayOf),
    fc.tuple(tie('field'), ordered(fc.nat(3))).map(([items, [minItems, maxItems]]) => ({
      definition: { type: 'array', items: items.definition, minItems, maxItems },
      value: fc.array(items.value, { minLength: minItems, maxLength: maxItems }),
    })),
    tie('fields'),
  ),
  fields: fc
    .uniqueArray(fc.tuple(fieldName, fc.boolean(), tie('field')), { selector: ([name]) => name, maxLength: 5 })
    .map(objectOf),
}));

export const anyField: fc.Arbitrary<unknown> = field.map(({ definition }) => definition);

export const shapeWithData: fc.Arbitrary<ShapeSample> = fields.chain(({ definition, value }) =>
  value.map((data) => ({
    definition: { fields: definition as Record<string, unknown> },
    data: data as Record<string, unknown>,
  })),
);

/** Any JSON, including keys that objects inherit. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.jsonValue({ maxDepth: 0 }),
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(fc.oneof(fc.constantFrom(...AWKWARD_NAMES, 'label', 'enum', 'items'), fc.string()), tie('json')),
        {
          maxLength: 5,
        },
      )
      .map((entries) => Object.fromEntries(entries)),
  ),
})).json;

function ordered(values: fc.Arbitrary<number>): fc.Arbitrary<[number, number]> {
  return fc.tuple(values, values).map(([one, other]) => (one <= other ? [one, other] : [other, one]));
}

function arrayOf(items: FieldSample): FieldSample {
  return { definition: [items.definition], value: fc.array(items.value, { maxLength: 3 }) };
}

function objectOf(members: readonly [string, boolean, FieldSample][]): FieldSample {
  const declared = members.map(([name, optional, { definition }]): [string, unknown] => [
    optional ? `${name}?` : name,
    // A text value of `type` would turn the whole object into a field definition.
    name === 'type' && typeof definition === 'string' ? { type: definition } : definition,
  ]);
  const entries = members.map(([name, optional, { value }]) =>
    (optional ? fc.option(fc.option(value), { nil: undefined }) : value).map((held): [string, unknown][] =>
      held === undefined ? [] : [[name, held]],
    ),
  );
  return {
    definition: Object.fromEntries(declared),
    value: fc.tuple(...entries).map((held) => Object.fromEntries(held.flat())),
  };
}
