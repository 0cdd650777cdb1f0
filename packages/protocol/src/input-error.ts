// What a caller is told of input that is not of the documented form, on every surface.
import type { ZodError } from 'zod';
import { type CairnError, fail } from './errors.ts';
import { ended } from './sentence.ts';

type Issue = ZodError['issues'][number];

const ISSUES_SHOWN_MAX = 20;
const MESSAGE_CHARACTERS_MAX = 1_000;

export function invalidInput(error: ZodError): CairnError {
  const details = error.issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => ({
    path: issue.path.join('.').slice(0, MESSAGE_CHARACTERS_MAX),
    message: sentenceOf(issue).slice(0, MESSAGE_CHARACTERS_MAX),
  }));
  const first = details
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ')
    .slice(0, MESSAGE_CHARACTERS_MAX);
  return fail('VALIDATION_ERROR', { message: ended(`The input is not valid: ${first}`), details });
}

/** In our own words, where nobody has written any for this field. */
function sentenceOf(issue: Issue): string {
  const { code, message } = issue;
  if (code === 'invalid_type' && message.endsWith(', received undefined')) return 'it is missing';
  if (code === 'too_small' && message.startsWith('Too small: ')) return boundOf(issue.origin, 'least', issue.minimum);
  if (code === 'too_big' && message.startsWith('Too big: ')) return boundOf(issue.origin, 'most', issue.maximum);
  return message;
}

const COUNTED: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  object: 'fields',
};

function boundOf(origin: string, end: 'least' | 'most', bound: number | bigint): string {
  const counted = COUNTED[origin];
  if (counted === undefined) return `it must be at ${end} ${bound}`;
  if (end === 'least' && bound === 1) return 'it must not be empty';
  return `it must have at ${end} ${bound} ${bound === 1 ? counted.slice(0, -1) : counted}`;
}
