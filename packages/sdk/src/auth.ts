import type { Whoami } from '@cairn/protocol/whoami';
import type { Call } from './transport.ts';

/** Who the caller is. */
export interface AuthSurface {
  /** Who the token belongs to, and what it may do. */
  whoami(): Promise<Whoami>;
}

export function authSurface(call: Call): AuthSurface {
  return { whoami: () => call('auth.whoami', undefined) };
}
