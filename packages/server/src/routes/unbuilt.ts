// Routes of the specification that this version does not serve yet. They are mounted, so that a caller learns that the
// path is right and the server too old.
import { fail } from '@cairn/protocol/errors';
import type { RouteHandler } from './edge/env.ts';
import { unknownPathError } from './edge/error.ts';

export const unbuilt: RouteHandler = () => {
  throw fail('NOT_IMPLEMENTED', {
    message: 'This version of Cairn does not serve this route yet. See CHANGELOG.md, and update the server.',
  });
};

export const unknownPath: RouteHandler = () => {
  throw unknownPathError();
};
