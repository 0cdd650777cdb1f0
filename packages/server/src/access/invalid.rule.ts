import { type CairnError, fail } from '@cairn/protocol/errors';

/** Names the path in the message too, for callers who see only the message. */
export function invalidAt(path: string, message: string): CairnError {
  return fail('VALIDATION_ERROR', { message: `${path}: ${message}`, details: [{ path, message }] });
}
