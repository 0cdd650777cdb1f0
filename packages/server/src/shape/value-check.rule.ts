// Checks of single values, compiled once from a field: its type first, then each of its constraints.
import { codePointLength, counted, showList } from '../model/json-value.ts';
import { compilePattern, PATTERN_TEXT_CHARACTERS_MAX } from './pattern.rule.ts';
import type { ArrayField, BooleanField, NumberField, StringField } from './shape.rule.ts';

const WREF_CHARACTERS_MAX = 1_024;

/** Something that a value must satisfy, and how a message says so. */
export interface Constraint<Value> {
  readonly expected: string;
  holds(value: Value): boolean;
  /** What is said of a value that does not hold, where the value itself would not tell. */
  got?(value: Value): string;
}

/** A type, and what else is asked of values that have it. */
export interface ValueCheck<Value> {
  readonly expected: string;
  hasType(value: unknown): value is Value;
  readonly constraints: readonly Constraint<Value>[];
}

export function stringCheck(field: StringField): ValueCheck<string> {
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
      expected: `at most ${counted(max, 'character')}, since it has a pattern`,
      got: (text) => text.length.toLocaleString('en-US'),
      holds: (text) => text.length <= max,
    },
    {
      expected: `a match of ${pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern}`,
      holds: compilePattern(pattern),
    },
  ];
}

export function numberCheck(field: NumberField): ValueCheck<number> {
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

export function booleanCheck(field: BooleanField): ValueCheck<boolean> {
  return {
    expected: oneOf(field.enum)[0]?.expected ?? 'true or false',
    hasType: (value) => typeof value === 'boolean',
    constraints: oneOf(field.enum),
  };
}

/** Only the form. Whether the target exists, and which shape it has, is for those who can read records. */
export function wrefCheck(): ValueCheck<string> {
  return {
    expected: 'a wref',
    hasType: (value): value is string => typeof value === 'string' && value !== '',
    constraints: [atMostCharacters(WREF_CHARACTERS_MAX)],
  };
}

export function arrayCheck({ minItems, maxItems }: ArrayField): ValueCheck<readonly unknown[]> {
  return {
    expected: 'an array',
    hasType: Array.isArray,
    constraints: [
      ...(minItems === undefined ? [] : [atLeastItems(minItems)]),
      ...(maxItems === undefined ? [] : [atMostItems(maxItems)]),
    ],
  };
}

// A string has at least half as many code points as code units, and at most as many: mostly nothing must be counted.
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
