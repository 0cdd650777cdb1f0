// What components may call. They are told so before anything is looked up, whether it is there or not.
import type { Access } from '@cairn/protocol/access';
import { type ErrorCode, fail } from '@cairn/protocol/errors';
import type { Principal } from '../../auth/principal.ts';

export function refuseComponent(
  principal: Principal,
  { component }: Pick<Access, 'component'>,
  code: ErrorCode = 'FORBIDDEN',
): void {
  if (principal.kind !== 'component' || component === 'any') return;
  if (component === 'runtime' && principal.stage === 'runtime') return;
  throw fail(code, { message: 'This is not for tokens of components. Use a token of an account.' });
}
