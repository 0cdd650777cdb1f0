// What every path that is not served answers.
import type { RouteHandler } from './edge/env.ts';
import { unknownPathError } from './edge/error.ts';

export const unknownPath: RouteHandler = () => {
  throw unknownPathError();
};
