// The names that nobody can have. The form of names is checked where the input is read.
import { fail } from '@cairn/protocol/errors';
import { RESERVED_ORGANIZATION_NAMES } from '@cairn/protocol/names';

/** `path` is where in the input the name stands. */
export function refuseReservedName(name: string, path: string): void {
  if (!RESERVED_ORGANIZATION_NAMES.has(name)) return;
  throw fail('RESERVED_NAME', { message: `The name ${name} is reserved. Choose another.`, details: [{ path }] });
}
