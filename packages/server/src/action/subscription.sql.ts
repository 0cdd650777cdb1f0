// Finds and lists subscriptions, and pauses them for the server. Other changes are in subscription-change.write.ts.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import type { BulkStatement, Reader, Transaction, Value } from '../engine/database.ts';
import type { SubscriptionKey as DeliveryKey } from './delivery/delivery-queue.sql.ts';
import { lockHomes, removeWatch } from './firing.sql.ts';
import { type StoredFilter, shapesIn, toShown, toStored } from './subscription-filter.rule.ts';

export interface Giver {
  readonly accountId: number;
  readonly tokenId?: number | undefined;
}

export interface FoundSubscription {
  readonly homeId: number;
  readonly subscriptionId: string;
  readonly name: string;
  readonly filter: SubscriptionFilter | undefined;
  readonly filterText: string | null;
  readonly event: string | null;
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl: string | null;
  readonly credentialSetId: string | null;
  readonly credentialSet: string | null;
  readonly sourceRepoId: number | null;
  readonly source: string | null;
  readonly giver: Giver | undefined;
  readonly allowTraceReentry: boolean;
  readonly active: boolean;
  readonly pausedReason: string | null;
  readonly component: string | null;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type SubscriptionRow = Omit<FoundSubscription, 'filter' | 'giver' | 'allowTraceReentry' | 'active'> & {
  giver: string | null;
  allowTraceReentry: number;
  active: number;
};

const SELECT = `select s.repo_id as "homeId", s.subscription_id as "subscriptionId", s.name, s.filter as "filterText", s.event,
    s.webhook_url as "webhookUrl", s.fallback_webhook_url as "fallbackWebhookUrl", s.credential_set_id as "credentialSetId",
    c.name as "credentialSet", s.source_repo_id as "sourceRepoId", o.name || '/' || r.name as source, s.giver,
    s.allow_trace_reentry as "allowTraceReentry", s.active, s.paused_reason as "pausedReason", s.component,
    s.created_by as "createdBy", s.created_at as "createdAt", s.updated_at as "updatedAt"
  from subscription s
  left join credential_set c on c.repo_id = s.repo_id and c.credential_set_id = s.credential_set_id
  left join repository r on r.id = s.source_repo_id
  left join organization o on o.id = r.organization_id`;

export interface SubscriptionKey {
  readonly homeId: number;
  readonly name: string;
}

export async function listSubscriptions(
  reader: Reader,
  { homeId, after, limit }: { homeId: number; after: string; limit: number },
): Promise<FoundSubscription[]> {
  return await findWhere(reader, 's.repo_id = $1 and s.name > $2 order by s.name limit $3', [homeId, after, limit]);
}

export async function findSubscription(reader: Reader, { homeId, name }: SubscriptionKey): Promise<FoundSubscription> {
  const [found] = await findWhere(reader, 's.repo_id = $1 and s.name = $2', [homeId, name]);
  if (found === undefined) throw subscriptionNotFound(name);
  return found;
}

export async function findSubscriptionById(
  reader: Reader,
  { homeId, subscriptionId }: { homeId: number; subscriptionId: string },
): Promise<FoundSubscription | undefined> {
  const [found] = await findWhere(reader, 's.repo_id = $1 and s.subscription_id = $2', [homeId, subscriptionId]);
  return found;
}

function subscriptionNotFound(name: string): CairnError {
  return fail('NOT_FOUND', {
    message: `There is no subscription ${name}. List the subscriptions to see their names.`,
  });
}

async function findWhere(reader: Reader, where: string, values: readonly Value[]): Promise<FoundSubscription[]> {
  const rows = await reader.query<SubscriptionRow>(`${SELECT} where ${where}`, values);
  const kept = rows.map(({ homeId, sourceRepoId, filterText: text }) => ({ watchedId: sourceRepoId ?? homeId, text }));
  const filters = await showFilters(reader, kept);
  return rows.map((row, at) => ({
    ...row,
    filter: filters[at],
    giver: row.giver === null ? undefined : (JSON.parse(row.giver) as Giver),
    allowTraceReentry: row.allowTraceReentry === 1,
    active: row.active === 1,
  }));
}

interface ServerPause extends DeliveryKey {
  readonly reason: string;
  readonly now: number;
}

/** Waits for commits in progress; later ones no longer trigger the subscription. */
export async function pauseByServer(
  tx: Transaction,
  { homeId, subscriptionId, reason, now }: ServerPause,
): Promise<void> {
  const key = [homeId, subscriptionId];
  const rows = await tx.query<{ repo_id: number }>(
    'select repo_id from watch where home_id = $1 and subscription_id = $2',
    key,
  );
  const watchedIds = rows.map(({ repo_id }) => repo_id);
  await lockHomes(tx, watchedIds);
  for (const watchedId of watchedIds) await removeWatch(tx, { watchedId, homeId, subscriptionId });
  await tx.query(
    `update subscription set active = 0, paused_reason = $3, updated_at = $4
     where repo_id = $1 and subscription_id = $2 and active = 1`,
    [...key, reason, now],
  );
}

const FIND_SHAPES: BulkStatement = {
  single: true,
  each: `select record_id from name where repo_id = $1 and shape_id = 0 and name = $2 and to_seq is null`,
  set: `select k.ord::int as ord, n.record_id from unnest($2::text[]) with ordinality as k (name, ord)
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = 0 and name = k.name collate "C" and to_seq is null limit 1) as n`,
};

export async function storeFilter(
  reader: Reader,
  { watchedId, filter }: { watchedId: number; filter: SubscriptionFilter },
): Promise<string> {
  const names = shapesIn(filter);
  const rows = await reader.bulk<{ record_id: number }>(FIND_SHAPES, {
    common: [watchedId],
    rows: names.map((name) => [name]),
  });
  const ids = new Map(rows.map(({ ord, record_id }) => [names[ord] ?? '', record_id]));
  return JSON.stringify(toStored(filter, (name) => ids.get(name)));
}

const nameSet = (repo: string) => `select k.ord::int as ord, r.name
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, record_id, ord)
  cross join lateral (select name from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r`;

const FIND_NAMES: BulkStatement = {
  single: true,
  each: 'select name from record where repo_id = $1 and record_id = $2',
  set: nameSet('k.repo_id'),
  shard: { column: 0, set: nameSet('$3') },
};

async function showFilters(
  reader: Reader,
  kept: readonly { watchedId: number; text: string | null }[],
): Promise<(SubscriptionFilter | undefined)[]> {
  const filters = kept.map(({ text }) => (text === null ? undefined : (JSON.parse(text) as StoredFilter)));
  const shapes = kept.flatMap(({ watchedId }, at) =>
    shapesIn(filters[at] ?? {}).flatMap((shape) => (typeof shape === 'number' ? [[watchedId, shape] as const] : [])),
  );
  const rows = await reader.bulk<{ name: string }>(FIND_NAMES, { common: [], rows: shapes });
  const names = new Map(rows.map(({ ord, name }) => [String(shapes[ord]), name]));
  const nameOf = (watchedId: number) => (shapeId: number) => names.get(String([watchedId, shapeId])) ?? String(shapeId);
  return kept.map(({ watchedId }, at) => {
    const filter = filters[at];
    return filter && toShown(filter, nameOf(watchedId));
  });
}
