// What is at no path: told so, or led to where it is.
import { answer } from './edge/answer.ts';
import type { RouteHandler } from './edge/env.ts';
import { unknownPathError } from './edge/error.ts';

/** People add a slash to the address of a page. */
const PAGE_WITH_SLASH = /^(\/docs(?:\/[\w.-]+)*)\/$/;

export const unknownPath: RouteHandler = (c) => {
  const [, location] = PAGE_WITH_SLASH.exec(c.req.path) ?? [];
  if (location === undefined || !['GET', 'HEAD'].includes(c.req.method)) throw unknownPathError();
  return answer(c, { status: 308, body: null, headers: { location } });
};
