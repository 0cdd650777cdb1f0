// What a caller is told of input that is not of the documented form, on every surface.
import type { ZodError } from 'zod';
import { type CairnError, fail } from './errors.ts';
import { wordsOf } from './input-words.ts';
import { ended } from './sentence.ts';

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
