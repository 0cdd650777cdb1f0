// Callers and their roles are read from memory until anybody writes to the tables that decide about them, in any process.
// Each such write changes one number, `access_epoch`, in its own transaction. Readers compare it at every request.
import { randomInt } from 'node:crypto';
import type { Transaction } from './database.ts';

/** All tables that say who a caller is and what it may do. A test compares them with what these questions read. */
export const ACCESS_TABLES = [
  ...['account', 'session', 'token', 'token_scope'],
  ...['organization', 'repository', 'member', 'repository_role'],
];

const CHANGES_ACCESS = new RegExp(
  `\\b(?:insert\\s+into|update|delete\\s+from)\\s+(?:${ACCESS_TABLES.join('|')})\\b`,
  'i',
);
/** 2^48 is the most that `randomInt` draws. */
const EPOCHS = 2 ** 48 - 1;

const KNOWN_MAX = 1_000;
/** Statements are few and come again and again. */
const known = new Map<string, boolean>();

export function changesAccess(sql: string): boolean {
  const found = known.get(sql) ?? CHANGES_ACCESS.test(sql);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(sql, found);
  return found;
}

/** Makes every node look up callers and their rights again. */
export async function moveEpoch(tx: Transaction): Promise<void> {
  await tx.query('update access_epoch set epoch = $1 where id = 1', [randomInt(1, EPOCHS)]);
}

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

const REMEMBERED_MAX = 10_000;

/** A view holds what was read while the epoch stood at one number. A request keeps to one view. */
export class AccessView {
  readonly epoch: number;
  readonly #found = new Map<string, unknown>();

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  recall<Found>(key: string): Found | undefined {
    return this.#found.get(key) as Found | undefined;
  }

  /** Guesses take no room: the view asks again for what it did not find. */
  async remember<Found>(key: string, find: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const remembered = this.recall<Found>(key);
    if (remembered !== undefined) return remembered;
    const found = await find();
    if (found === undefined) return undefined;
    if (this.#found.size >= REMEMBERED_MAX) this.#found.clear();
    this.#found.set(key, found);
    return found;
  }
}
