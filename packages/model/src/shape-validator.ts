// Checks data against a shape. A shape is compiled once, into closures, and then used for every write of its records.
import { pointerTo } from '@cairn/model/json-pointer';
import { type IndexedField, indexedFields, type WrefPlace, wrefPlaces } from './field-definition.ts';
import { codePointLength, counted, isJsonObject, showList, showValue } from './json.ts';
import { compilePattern, PATTERN_TEXT_CHARACTERS_MAX } from './pattern.ts';
import type { Problem } from './problem.ts';
import type { ArrayField, BooleanField, Field, Fields, NumberField, Shape, StringField } from './shape.ts';
import { compileWrefVisitor } from './wref.ts';

export interface ShapeValidator {
  validate(data: unknown): Validation;
  readonly visitWrefs: ReturnType<typeof compileWrefVisitor>;
  readonly wrefPlaces: readonly WrefPlace[];
  readonly indexedFields: readonly IndexedField[];
}

export function compileShape(shape: Shape): ShapeValidator {
  const { check } = compileObject(shape.fields);
  return {
    validate(data) {
      const run = new ValidationRun();
      check(data, run);
      return run.end();
    },
    visitWrefs: compileWrefVisitor(shape.fields),
    wrefPlaces: wrefPlaces(shape),
    indexedFields: indexedFields(shape),
  };
}

type Check = (value: unknown, run: ValidationRun) => void;

interface CompiledField {
  readonly expected: string;
  readonly optional: boolean;
  readonly check: Check;
}

function compileField(field: Field): CompiledField {
  return { optional: field.optional, ...compileType(field) };
}

function compileType(field: Field): Omit<CompiledField, 'optional'> {
  switch (field.type) {
    case 'string':
      return compileValue(stringCheck(field));
    case 'number':
      return compileValue(numberCheck(field));
    case 'boolean':
      return compileValue(booleanCheck(field));
    case 'wref':
      return compileValue(wrefCheck());
    case 'array':
      return compileArray(field);
    case 'object':
      return compileObject(field.fields);
    case 'json':
      return { expected: 'a value', check: () => {} };
  }
}

function compileValue<Value>(
  { expected, hasType, constraints }: ValueCheck<Value>,
  checkInside?: (value: Value, run: ValidationRun) => void,
): Omit<CompiledField, 'optional'> {
  return {
    expected,
    check: (value, run) => {
      if (!hasType(value)) return run.refuse(expected, value);
      for (const constraint of constraints) {
        if (!constraint.holds(value)) run.refuse(constraint.expected, value, constraint.got?.(value));
      }
      checkInside?.(value, run);
    },
  };
}

function compileArray(field: ArrayField): Omit<CompiledField, 'optional'> {
  const items = field.items && compileField(field.items);
  return compileValue(arrayCheck(field), items && ((values, run) => checkItems(values, items, run)));
}

function checkItems(values: readonly unknown[], items: CompiledField, run: ValidationRun): void {
  for (let index = 0; index < values.length && !run.isFull; index++) {
    run.enter(index);
    checkPresence(values[index], items, run);
    run.leave();
  }
}

function compileObject(fields: Fields): Omit<CompiledField, 'optional'> {
  const members = new Map([...fields].map(([name, field]) => [name, compileField(field)]));
  const required = [...members].filter(([, { optional }]) => !optional);
  const expected = 'an object';
  return {
    expected,
    check: (value, run) => {
      if (!isJsonObject(value)) return run.refuse(expected, value);
      for (const [name, field] of required) {
        if (Object.hasOwn(value, name) && value[name] !== undefined) continue;
        if (run.isFull) return;
        run.enter(name);
        run.refuse(field.expected, undefined);
        run.leave();
      }
      // Iterates over the present keys, because a shape may have very many optional fields, and data very many small
      // objects. Not Object.keys, which would allocate an array for every record.
      for (const name in value) if (Object.hasOwn(value, name)) checkMember(name, value[name], members.get(name), run);
    },
  };
}

function checkMember(name: string, value: unknown, field: CompiledField | undefined, run: ValidationRun): void {
  if (field === undefined) run.reportUndeclared(name);
  // The check of required fields has already reported an absent one.
  if (field === undefined || value === undefined) return;
  run.enter(name);
  checkPresence(value, field, run);
  run.leave();
}

function checkPresence(value: unknown, { expected, optional, check }: CompiledField, run: ValidationRun): void {
  if (value !== undefined && value !== null) check(value, run);
  else if (!optional) run.refuse(expected, value);
}

// The state of one validation: its findings, and its position in the data. Pointers are written only for findings, so
// valid data costs none.

/** `problems` refuse the data. Undeclared fields are stored and reported. */
interface Validation {
  readonly problems: readonly Problem[];
  /** JSON pointers. */
  readonly undeclaredFields: readonly string[];
}

const PROBLEMS_MAX = 100;
const UNDECLARED_FIELDS_MAX = 100;

class ValidationRun {
  readonly #problems: Problem[] = [];
  readonly #undeclaredFields: string[] = [];
  readonly #path: (string | number)[] = [];

  enter(token: string | number): void {
    this.#path.push(token);
  }

  leave(): void {
    this.#path.pop();
  }

  /** True if there are enough problems for a refusal. The rest of the data is not checked. */
  get isFull(): boolean {
    return this.#problems.length >= PROBLEMS_MAX;
  }

  /** `got` describes the value, if the value itself would not explain the problem. */
  refuse(expected: string, value: unknown, got?: string): void {
    if (this.#problems.length >= PROBLEMS_MAX) return;
    const message =
      value === undefined ? `missing, expected ${expected}` : `expected ${expected}, got ${got ?? showValue(value)}`;
    this.#problems.push({ path: this.#pointer(), message });
  }

  reportUndeclared(name: string): void {
    if (this.#undeclaredFields.length >= UNDECLARED_FIELDS_MAX) return;
    this.#undeclaredFields.push(pointerTo(this.#pointer(), name));
  }

  end(): Validation {
    return { problems: this.#problems, undeclaredFields: this.#undeclaredFields };
  }

  #pointer(): string {
    return this.#path.reduce<string>(pointerTo, '');
  }
}

const WREF_CHARACTERS_MAX = 1_024;

interface Constraint<Value> {
  readonly expected: string;
  holds(value: Value): boolean;
  /** Describes an invalid value, if the value itself would not explain the problem. */
  got?(value: Value): string;
}

interface ValueCheck<Value> {
  readonly expected: string;
  hasType(value: unknown): value is Value;
  readonly constraints: readonly Constraint<Value>[];
}

function stringCheck(field: StringField): ValueCheck<string> {
  const { minLength, maxLength, pattern } = field;
  return {
    expected: oneOf(field.enum)[0]?.expected ?? 'a string',
    hasType: (value) => typeof value === 'string',
    constraints: [
      ...(minLength === undefined ? [] : [atLeastCharacters(minLength)]),
      ...(maxLength === undefined ? [] : [atMostCharacters(maxLength)]),
      ...(pattern === undefined ? [] : patternConstraints(pattern)),
      ...oneOf(field.enum),
    ],
  };
}

function patternConstraints(pattern: string): Constraint<string>[] {
  const max = PATTERN_TEXT_CHARACTERS_MAX;
  return [
    {
      expected: `at most ${counted(max, 'character')} in a field with a pattern`,
      got: (text) => text.length.toLocaleString('en-US'),
      holds: (text) => text.length <= max,
    },
    {
      expected: `a match of ${pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern}`,
      holds: compilePattern(pattern),
    },
  ];
}

function numberCheck(field: NumberField): ValueCheck<number> {
  const { minimum, maximum, integer } = field;
  return {
    expected: oneOf(field.enum)[0]?.expected ?? 'a number',
    hasType: (value): value is number => Number.isFinite(value),
    constraints: [
      ...(minimum === undefined
        ? []
        : [{ expected: `at least ${minimum}`, holds: (value: number) => value >= minimum }]),
      ...(maximum === undefined
        ? []
        : [{ expected: `at most ${maximum}`, holds: (value: number) => value <= maximum }]),
      ...(integer ? [{ expected: 'a whole number', holds: Number.isInteger }] : []),
      ...oneOf(field.enum),
    ],
  };
}

function booleanCheck(field: BooleanField): ValueCheck<boolean> {
  return {
    expected: oneOf(field.enum)[0]?.expected ?? 'true or false',
    hasType: (value) => typeof value === 'boolean',
    constraints: oneOf(field.enum),
  };
}

/** Checks only the form. Code with access to records checks the target and its shape. */
function wrefCheck(): ValueCheck<string> {
  return {
    expected: 'a wref',
    hasType: (value): value is string => typeof value === 'string' && value !== '',
    constraints: [atMostCharacters(WREF_CHARACTERS_MAX)],
  };
}

function arrayCheck({ minItems, maxItems }: ArrayField): ValueCheck<readonly unknown[]> {
  return {
    expected: 'an array',
    hasType: Array.isArray,
    constraints: [
      ...(minItems === undefined ? [] : [atLeastItems(minItems)]),
      ...(maxItems === undefined ? [] : [atMostItems(maxItems)]),
    ],
  };
}

// A string has at least half as many code points as code units, and at most as many. Usually nothing must be counted.
function atLeastCharacters(least: number): Constraint<string> {
  return {
    expected: `at least ${counted(least, 'character')}`,
    holds: (text) => text.length >= least && (text.length >= 2 * least || codePointLength(text) >= least),
  };
}

function atMostCharacters(most: number): Constraint<string> {
  return {
    expected: `at most ${counted(most, 'character')}`,
    got: (text) => codePointLength(text).toLocaleString('en-US'),
    holds: (text) => text.length <= most || (text.length <= 2 * most && codePointLength(text) <= most),
  };
}

function atLeastItems(least: number): Constraint<readonly unknown[]> {
  return { expected: `at least ${counted(least, 'item')}`, holds: (items) => items.length >= least };
}

function atMostItems(most: number): Constraint<readonly unknown[]> {
  return { expected: `at most ${counted(most, 'item')}`, holds: (items) => items.length <= most };
}

function oneOf<Value>(choices: readonly Value[] | undefined): Constraint<Value>[] {
  if (choices === undefined) return [];
  const known = new Set(choices);
  return [{ expected: `one of ${showList(choices)}`, holds: (value) => known.has(value) }];
}
