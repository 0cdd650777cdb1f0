// The route table: every path that the server mounts outside `/trpc`, keyed by method and path.
// `app.ts` binds each row to what serves it; `/openapi.json` and docs/reference/routes.md are made from it.
import { OWN_ROUTES } from './own-routes.ts';
import type { RouteRow } from './route-row.ts';
import { SIGN_IN_ROUTES } from './sign-in-routes.ts';
import { SPEC_ROUTES } from './spec-routes.ts';

export const ROUTES = { ...SPEC_ROUTES, ...SIGN_IN_ROUTES, ...OWN_ROUTES } as const satisfies Record<string, RouteRow>;

export type RouteKey = keyof typeof ROUTES;
export type RouteMethod = RouteKey extends `${infer Method} ${string}` ? Method : never;

export interface RouteAddress {
  readonly method: RouteMethod;
  readonly path: string;
}

export function routeAddress(key: RouteKey): RouteAddress {
  const space = key.indexOf(' ');
  return { method: key.slice(0, space) as RouteMethod, path: key.slice(space + 1) };
}
