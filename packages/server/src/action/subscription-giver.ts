// Whether who let a subscription look into another repository may still read all of it: by their role, and by the token that
// they did it with.

import { readsWhole } from '../access/access.ts';
import type { Principal } from '../access/principal.ts';
import { findTokenHolderById } from '../access/token-holder.sql.ts';
import { findAccountHolder } from '../account/account.sql.ts';
import type { Reader } from '../engine/database.ts';
import { findRepositories, readRepositoryRow } from '../repository/repository.sql.ts';
import type { FoundSubscription, Giver } from './subscription.sql.ts';

/** Why a subscription may not be told of its source any more; `undefined` as long as it may. */
export async function findLapse(reader: Reader, subscription: FoundSubscription): Promise<string | undefined> {
  const { giver, homeId, sourceRepoId, source } = subscription;
  if (sourceRepoId === null || giver === undefined) return undefined;
  const principal = await findGiver(reader, giver);
  const [found] = await findRepositories(reader, { addresses: [], repoIds: [sourceRepoId] }, giver.accountId);
  if (principal === undefined || found === undefined || !readsWhole(principal, found)) {
    return `Who let this subscription look into ${source} may not read all of it any more. Resume it to let it by your own right.`;
  }
  const home = await readRepositoryRow(reader, homeId);
  if (home === undefined || home.organization_id === found.orgId) return undefined;
  return `${source} is in another organization than the subscription by now. Delete it, or move the repository back and resume it.`;
}

/** As whom they would be let in now: not by the session of then, which need not last as long. */
async function findGiver(reader: Reader, { accountId, tokenId }: Giver): Promise<Principal | undefined> {
  if (tokenId !== undefined) {
    const holder = await findTokenHolderById(reader, { tokenId, now: Date.now() });
    return holder && { kind: 'token', ...holder };
  }
  const account = await findAccountHolder(reader, accountId);
  return account && { kind: 'session', sessionId: '', expiresAt: Number.POSITIVE_INFINITY, ...account };
}
