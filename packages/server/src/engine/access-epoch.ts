// Callers and their roles are cached until any process writes to the tables that decide about them. Each such write
// changes one number, `access_epoch`, in its own transaction, and readers compare it at every request.

import { type CairnError, fail } from '@cairn/protocol/errors';

/** All tables that say who a caller is and what it may do. A test compares them with what these questions read. */
export const ACCESS_TABLES = [
  ...['account', 'session', 'token', 'token_scope'],
  ...['organization', 'repository', 'member', 'repository_role'],
];

export const READ_EPOCH = 'select epoch from access_epoch where id = 1';

export class AccessViews {
  /** `undefined` at first, and where no statement can read the epoch with the rows of a repository. */
  likely: AccessView | undefined;
  #last: AccessView | undefined;

  at(epoch: number, isLikely = true): AccessView {
    if (this.#last?.epoch !== epoch) this.#last = new AccessView(epoch);
    this.likely = isLikely ? this.#last : undefined;
    return this.#last;
  }
}

/** A view holds what was read at one epoch. A request keeps to one view. */
export class AccessView {
  readonly epoch: number;
  readonly found = new Map<string, unknown>();

  constructor(epoch: number) {
    this.epoch = epoch;
  }
}

const ACCESS_CHANGED = 'access_changed';

export function accessChanged(): CairnError {
  return fail('CONFLICT', {
    message: 'An account, a role or a token changed in the meantime. Send the commit again.',
    details: { reason: ACCESS_CHANGED },
  });
}

export function isAccessChanged({ fields: { details } }: CairnError): boolean {
  return (details as { reason?: unknown } | undefined)?.reason === ACCESS_CHANGED;
}
