// Validation messages in our own words, for fields without a message of their own.
import { type ZodError, z } from 'zod';
import { type CairnError, ended, fail } from './errors.ts';
import { nearest } from './nearest.ts';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;
type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** The beginnings of zod's own messages. */
const NOT_OURS = /^(?:Invalid |Unrecognized key|Too small: |Too big: )/;
const MISSING = 'it is missing';
const RECEIVED = /, received (\S+)$/;
const KEYS_SHOWN_MAX = 5;
const KEY_CHARACTERS_MAX = 80;

/** For `schema.parse`: refuses an unknown field, and names the known ones. */
export const INPUT_WORDS = { error: unknownKeys };

function unknownKeys({ code, keys, inst }: RawIssue): string | undefined {
  if (code !== 'unrecognized_keys' || !(inst instanceof z.ZodObject)) return undefined;
  const known = Object.keys(inst.shape);
  const unknown = keys as readonly string[];
  const near = unknown.length === 1 ? nearest(shown(unknown[0] ?? ''), known) : [];
  if (near.length > 0) return `${namesUnknown(unknown)}; did you mean ${near.join(' or ')}?`;
  return `${namesUnknown(unknown)}; ${known.length === 0 ? 'no fields are allowed here' : `the known fields are ${known.join(', ')}`}`;
}

export function wordsOf(issue: Issue): string {
  if (!NOT_OURS.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.expected, RECEIVED.exec(issue.message)?.[1] ?? '');
    case 'invalid_value':
      return `expected ${choice(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return boundWords(issue.origin, 'least', issue.minimum);
    case 'too_big':
      return boundWords(issue.origin, 'most', issue.maximum);
    case 'unrecognized_keys':
      return namesUnknown(issue.keys);
    case 'invalid_union':
      return unionWords(issue);
    default:
      return 'it does not have the documented form';
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
};

function typeWords(expected: string, received: string): string {
  if (received === 'undefined') return MISSING;
  if (expected === 'undefined' || expected === 'never') return 'it is not allowed here';
  const isFraction = expected === 'int' && received === 'number';
  return `expected ${TYPES[expected] ?? expected}, got ${isFraction ? 'a fraction' : (TYPES[received] ?? received)}`;
}

const COUNTED: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  object: 'fields',
};

function boundWords(origin: string, end: 'least' | 'most', bound: number | bigint): string {
  const counted = COUNTED[origin];
  if (counted === undefined) return `it must be at ${end} ${bound}`;
  if (end === 'least' && bound === 1) return 'it must not be empty';
  return `it must have at ${end} ${bound} ${bound === 1 ? counted.slice(0, -1) : counted}`;
}

/** In a union, the issues of the form that was probably meant; `undefined` if no form stands out. */
export function meantForm({ errors }: UnionIssue): readonly Issue[] | undefined {
  return (
    errors.find((issues) => issues.some(({ path }) => path.length > 0)) ??
    errors.find((issues) => issues.some(({ code }) => code !== 'invalid_type'))
  );
}

function unionWords(issue: UnionIssue): string {
  if ('options' in issue && issue.errors.length === 0) return `expected ${choice((issue.options ?? []).map(String))}`;
  const [first] = meantForm(issue) ?? [];
  if (first !== undefined)
    return first.path.length === 0 ? wordsOf(first) : `${first.path.join('.')}: ${wordsOf(first)}`;
  const forms = issue.errors.flat().map(wordsOf);
  if (forms.includes(MISSING)) return MISSING;
  return `expected ${[...new Set(forms.map((form) => /^expected (.*), got /.exec(form)?.[1] ?? form))].join(' or ')}`;
}

const choice = (values: readonly string[]) => (values.length === 1 ? values[0] : `one of ${values.join(', ')}`);

function namesUnknown(keys: readonly string[]): string {
  const named = keys
    .slice(0, KEYS_SHOWN_MAX)
    .map((key) => JSON.stringify(shown(key)))
    .join(', ');
  const more = keys.length > KEYS_SHOWN_MAX ? ` and ${keys.length - KEYS_SHOWN_MAX} more` : '';
  return `unknown ${keys.length === 1 ? 'field' : 'fields'} ${named}${more}`;
}

function shown(key: string): string {
  return key.length > KEY_CHARACTERS_MAX ? `${key.slice(0, KEY_CHARACTERS_MAX)}…` : key;
}

const ISSUES_SHOWN_MAX = 20;
const MESSAGE_CHARACTERS_MAX = 1_000;

export function invalidInput(error: ZodError): CairnError {
  const details = error.issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => ({
    path: issue.path.join('.').slice(0, MESSAGE_CHARACTERS_MAX),
    message: wordsOf(issue).slice(0, MESSAGE_CHARACTERS_MAX),
  }));
  const first = details
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ')
    .slice(0, MESSAGE_CHARACTERS_MAX);
  return fail('VALIDATION_ERROR', { message: ended(`The input is not valid: ${first}`), details });
}
