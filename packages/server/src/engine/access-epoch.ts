// Callers and their roles are read from memory until anybody writes to the tables that decide about them, in any process.
// Each such write changes one number, `access_epoch`, in its own transaction. Readers compare it at every request.

/** All tables that say who a caller is and what it may do. A test compares them with what these questions read. */
export const ACCESS_TABLES = [
  ...['account', 'session', 'token', 'token_scope'],
  ...['organization', 'repository', 'member', 'repository_role'],
];

export const READ_EPOCH = 'select epoch from access_epoch where id = 1';

/** The views of one database, one after the other. */
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

/** A view holds what was read while the epoch stood at one number. A request keeps to one view. */
export class AccessView {
  readonly epoch: number;
  /** Filled by `rememberIn` of access/access.ts. */
  readonly found = new Map<string, unknown>();

  constructor(epoch: number) {
    this.epoch = epoch;
  }
}
