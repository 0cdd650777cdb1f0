// Routes of the specification that this version does not serve yet. They are mounted, so that a caller learns that the
// path is right and the server too old.
import { fail } from '@cairn/protocol/errors';
import type { RouteHandler } from './edge/env.ts';
import { UNKNOWN_PATH } from './edge/error.ts';

export const unbuilt: RouteHandler = () => {
  throw fail('NOT_IMPLEMENTED', {
    message: 'This version of Cairn does not serve this route yet. See CHANGELOG.md, and update the server.',
  });
};

/** Spec 4.4 rule 1: where submissions are not enabled, the answer is that of an unknown path. */
export const unknownPath: RouteHandler = () => {
  throw fail('NOT_FOUND', { message: UNKNOWN_PATH });
};
