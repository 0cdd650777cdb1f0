// What happens to repositories, told to the subscriptions of their organization, and, where they are renamed, to their own. The
// runs are written in the transaction of the change.
import type { OrganizationEvent } from '@cairn/protocol/subscription-event';
import { homeIdOf } from '../access/home.rule.ts';
import { joinedTrace } from '../action/firing.sql.ts';
import { beginRuns } from '../action/run-begin.write.ts';
import type { Transaction } from '../engine/database.ts';

export interface ToldEvent {
  readonly event: OrganizationEvent;
  readonly repoId: number;
  readonly orgId: number;
  /** What deliveries say. */
  readonly data: Readonly<Record<string, string>>;
}

interface NamedRepository {
  readonly id: number;
  readonly organization_id: number;
  readonly org_name: string;
  readonly name: string;
}

export function eventOf(event: OrganizationEvent, row: NamedRepository): ToldEvent {
  const data = { orgName: row.org_name, repoName: row.name };
  return { event, repoId: row.id, orgId: row.organization_id, data };
}

export async function tellOfRepository(tx: Transaction, { event, repoId, orgId, data }: ToldEvent): Promise<void> {
  // A subscription that belongs to another repository is not told: what happens to this one is its organization's to know.
  const homes = [repoId, homeIdOf({ orgId })];
  const watches = await tx.query<{ home_id: number; subscription_id: string }>(
    'select home_id, subscription_id from watch where repo_id in ($1, $2) and home_id = repo_id and event = $3',
    [...homes, event],
  );
  const trace = joinedTrace(undefined);
  const now = Date.now();
  const run = { event: `cairn.${event}`, ...trace, originRepoId: null, repoSeq: null, matched: '[]' };
  for (const homeId of homes) {
    const told = watches.filter(({ home_id }) => home_id === homeId);
    const runs = told.map(({ subscription_id }) => ({
      subscriptionId: subscription_id,
      ...run,
      data: JSON.stringify(data),
    }));
    await beginRuns(tx, { homeId, runs, now });
  }
}
