// What the tables of routes and procedures decide before anything is looked up: who needs a credential, and what is not
// for components. The rest is authorization's.
import type { Access } from '@cairn/protocol/access';
import { fail } from '@cairn/protocol/errors';
import { ROUTES, type RouteKey } from '@cairn/protocol/routes';
import { isScope } from '@cairn/protocol/scopes';
import type { Principal } from '../access/principal.ts';
import { requireCredential } from '../access/requirement.ts';
import type { RouteHandler } from './env.ts';

export function guarded(key: RouteKey, handler: RouteHandler): RouteHandler {
  // Spec 4.4 rule 1: where submissions are not enabled, nobody learns that there could be any.
  if (key.endsWith('/submissions')) return handler;
  const access: Access = ROUTES[key].access;
  const { needs, open } = access;
  return (c) => {
    const principal = c.get('principal');
    if (isScope(needs) && open !== true) requireCredential(principal, needs);
    refuseComponent(principal, access);
    return handler(c);
  };
}

export function refuseComponent(principal: Principal, { component, needs }: Pick<Access, 'component' | 'needs'>): void {
  if (principal.kind !== 'component' || component === 'any') return;
  if (component === principal.stage) return;
  const code = needs.startsWith('repo:checkpoint') ? 'export-component-token' : 'FORBIDDEN';
  throw fail(code, { message: 'This is not for tokens of components. Use a token of an account.' });
}
