// What is at no path of the API: a page of the explorer, or told so, or led to where it is.
import { answer } from './answer.ts';
import type { EdgeContext, RouteHandler } from './env.ts';
import { unknownPathError } from './error.ts';

/** People add a slash to the address of a page. */
const PAGE_WITH_SLASH = /^(\/docs(?:\/[\w.-]+)*)\/$/;

export const nothingHere: RouteHandler = () => {
  throw unknownPathError();
};

/** Pages that a script in the browser makes of their address. */
interface PagesOf {
  readonly isPage: (c: EdgeContext) => boolean;
  readonly pageInSmall: (c: EdgeContext) => string | undefined;
  readonly index: RouteHandler;
}

export const createUnknownPath =
  (explorer: PagesOf): RouteHandler =>
  (c) => {
    if (explorer.isPage(c)) return explorer.index(c);
    const [, withoutSlash] = PAGE_WITH_SLASH.exec(c.req.path) ?? [];
    const location = explorer.pageInSmall(c) ?? withoutSlash;
    if (location === undefined || !['GET', 'HEAD'].includes(c.req.method)) return nothingHere(c);
    return answer(c, { status: 308, body: null, headers: { location } });
  };
