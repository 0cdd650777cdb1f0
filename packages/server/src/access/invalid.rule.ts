import { type CairnError, fail } from '@cairn/protocol/errors';

export function invalidAt(path: string, message: string): CairnError {
  return fail('VALIDATION_ERROR', { message: `${path}: ${message}`, details: [{ path, message }] });
}
