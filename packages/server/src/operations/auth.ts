import type { Whoami } from '@cairn/protocol/procedures';
import type { Context } from './context.ts';

export async function whoami({ principal }: Context): Promise<Whoami> {
  if (principal.kind === 'anonymous') return { kind: 'anonymous' };
  const { handle, operator, tokenName, scopes, expiresAt } = principal;
  return { kind: 'token', handle, operator, tokenName, scopes, expiresAt };
}
