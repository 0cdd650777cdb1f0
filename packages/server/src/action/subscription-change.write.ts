// Changes lock the owner and the watched repository, so that a commit sees a subscription before or after them.

import { randomBytes } from 'node:crypto';
import { invalidField } from '@cairn/model/operation';
import { fail } from '@cairn/protocol/errors';
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import type { Grant } from '../access/grant.rule.ts';
import type { Transaction } from '../engine/database.ts';
import { organizationArchived, organizationNotFound } from '../repository/organization.sql.ts';
import { requirePresent } from '../repository/repository-change.write.ts';
import { findCredentialSetId } from './delivery/credential-set.sql.ts';
import { unbindCredentialSet } from './delivery/credential-set-use.write.ts';
import { enqueueDeliveries } from './delivery/delivery-queue.sql.ts';
import { lockHomes, removeWatch, setWatch, type WatchAddress } from './firing.sql.ts';
import {
  type FoundSubscription,
  findSubscription,
  findSubscriptionById,
  type Giver,
  type SubscriptionKey,
  storeFilter,
} from './subscription.sql.ts';

interface SubscriptionHome {
  readonly homeId: number;
  readonly grant: Grant | undefined;
}

export interface Source {
  readonly repoId: number;
  readonly giver: Giver;
}

interface NewSubscription {
  readonly home: SubscriptionHome;
  readonly name: string;
  readonly filter?: SubscriptionFilter | undefined;
  readonly event?: string | undefined;
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl?: string | undefined;
  readonly credentialSet?: string | undefined;
  readonly source?: Source | undefined;
  readonly allowTraceReentry: boolean;
  readonly component?: string | undefined;
  readonly createdBy: string;
  readonly now: number;
}

export async function createSubscription(tx: Transaction, made: NewSubscription): Promise<FoundSubscription> {
  const { home, name, filter, event = null, source, now } = made;
  const { homeId } = home;
  const watchedId = source?.repoId ?? homeId;
  await lockHomes(tx, [homeId, watchedId]);
  await requireWritable(tx, home);
  await refuseTakenName(tx, { homeId, name });
  const filterText = filter === undefined ? null : await storeFilter(tx, { watchedId, filter });
  const credentialSetId =
    made.credentialSet === undefined ? null : await requireCredentialSet(tx, homeId, made.credentialSet);
  const subscriptionId = `sub_${randomBytes(12).toString('hex')}`;
  const targets = [made.webhookUrl, made.fallbackWebhookUrl ?? null];
  const given = [source?.repoId ?? null, source === undefined ? null : JSON.stringify(source.giver)];
  await tx.query(
    `insert into subscription (repo_id, subscription_id, name, filter, event, webhook_url, fallback_webhook_url,
       credential_set_id, source_repo_id, giver, allow_trace_reentry, active, component, last_position, created_by,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, 0, $13, $14, $14)`,
    [
      ...[homeId, subscriptionId, name, filterText, event, ...targets, credentialSetId, ...given],
      ...[Number(made.allowTraceReentry), made.component ?? null, made.createdBy, now],
    ],
  );
  return await watched(tx, { homeId, subscriptionId });
}

async function watched(tx: Transaction, address: Omit<WatchAddress, 'watchedId'>): Promise<FoundSubscription> {
  const found = await findSubscriptionById(tx, address);
  if (found === undefined) throw new Error('a subscription that was just written cannot be found');
  const { filterText: filter, event, allowTraceReentry, component } = found;
  const place = watchOf(found);
  if (found.active) await setWatch(tx, { ...place, filter, event, allowTraceReentry, component });
  else await removeWatch(tx, place);
  return found;
}

function watchOf({ homeId, subscriptionId, sourceRepoId }: FoundSubscription): WatchAddress {
  return { watchedId: sourceRepoId ?? homeId, homeId, subscriptionId };
}

/** Reads twice: the watched repository must be locked, and only the first read reveals it. */
async function lockSubscription(tx: Transaction, key: SubscriptionKey): Promise<FoundSubscription> {
  const seen = await findSubscription(tx, key);
  await lockHomes(tx, [key.homeId, watchOf(seen).watchedId]);
  return await findSubscription(tx, key);
}

async function requireWritable(tx: Transaction, { homeId, grant }: SubscriptionHome): Promise<void> {
  if (grant !== undefined) {
    await requirePresent(tx, grant);
    return;
  }
  const sql = 'select name, archived_at from organization where id = $1';
  const [organization] = await tx.query<{ name: string; archived_at: number | null }>(sql, [-homeId]);
  if (organization === undefined) throw organizationNotFound();
  if (organization.archived_at !== null) throw organizationArchived(organization.name);
}

async function refuseTakenName(tx: Transaction, { homeId, name }: SubscriptionKey): Promise<void> {
  const taken = await tx.query('select name from subscription where repo_id = $1 and name = $2', [homeId, name]);
  if (taken.length === 0) return;
  throw fail('ALREADY_EXISTS', {
    message: `The subscription ${name} exists already. Choose another name, or delete that subscription first.`,
  });
}

async function requireCredentialSet(tx: Transaction, homeId: number, name: string): Promise<string> {
  const found = await findCredentialSetId(tx, { homeId, name });
  if (found !== undefined) return found;
  throw invalidField('credentialSet', `The owner of this subscription has no credential set ${name}. Create it first.`);
}

interface SubscriptionMoment {
  readonly home: SubscriptionHome;
  readonly name: string;
  readonly now: number;
}

interface Resumption extends SubscriptionMoment {
  readonly giver?: Giver | undefined;
}

export async function pauseSubscription(
  tx: Transaction,
  { home: { homeId }, name, now }: SubscriptionMoment,
): Promise<FoundSubscription> {
  const { subscriptionId } = await lockSubscription(tx, { homeId, name });
  await tx.query(
    'update subscription set active = 0, paused_reason = null, updated_at = $3 where repo_id = $1 and subscription_id = $2',
    [homeId, subscriptionId, now],
  );
  return await watched(tx, { homeId, subscriptionId });
}

export async function resumeSubscription(
  tx: Transaction,
  { home, name, giver, now }: Resumption,
): Promise<FoundSubscription> {
  const { homeId } = home;
  const { subscriptionId } = await lockSubscription(tx, { homeId, name });
  await requireWritable(tx, home);
  await tx.query(
    `update subscription set active = 1, paused_reason = null, giver = coalesce($3, giver), updated_at = $4
     where repo_id = $1 and subscription_id = $2`,
    [homeId, subscriptionId, giver === undefined ? null : JSON.stringify(giver), now],
  );
  await enqueueDeliveries(tx, { homeId, subscriptionIds: [subscriptionId], dueAt: now });
  return await watched(tx, { homeId, subscriptionId });
}

export async function deleteSubscription(
  tx: Transaction,
  { home: { homeId }, name, now }: SubscriptionMoment,
): Promise<FoundSubscription> {
  const found = await lockSubscription(tx, { homeId, name });
  const { subscriptionId } = found;
  await removeWatch(tx, watchOf(found));
  await tx.query('delete from subscription where repo_id = $1 and subscription_id = $2', [homeId, subscriptionId]);
  await enqueueDeliveries(tx, { homeId, subscriptionIds: [subscriptionId], dueAt: now });
  return found;
}

interface SubscriptionUpdate extends SubscriptionMoment {
  readonly newName?: string | undefined;
  readonly filter?: SubscriptionFilter | undefined;
  readonly event?: string | undefined;
  readonly webhookUrl?: string | undefined;
  readonly fallbackWebhookUrl?: string | null | undefined;
  readonly allowTraceReentry?: boolean | undefined;
  readonly giver?: Giver | undefined;
  readonly changedBy: string;
}

export async function updateSubscription(tx: Transaction, update: SubscriptionUpdate): Promise<FoundSubscription> {
  const { home, name, newName = name, now } = update;
  const { homeId } = home;
  const found = await lockSubscription(tx, { homeId, name });
  await requireWritable(tx, home);
  if (newName !== name) await refuseTakenName(tx, { homeId, name: newName });
  const { subscriptionId } = found;
  const fallback = update.fallbackWebhookUrl === undefined ? found.fallbackWebhookUrl : update.fallbackWebhookUrl;
  const giver = update.giver ?? found.giver;
  const webhookUrl = update.webhookUrl ?? found.webhookUrl;
  await unbindElsewhere(tx, found, { webhookUrl, changedBy: update.changedBy, now });
  await tx.query(
    `update subscription set name = $3, filter = $4, event = $5, webhook_url = $6, fallback_webhook_url = $7,
       allow_trace_reentry = $8, giver = $9, updated_at = $10 where repo_id = $1 and subscription_id = $2`,
    [
      ...[homeId, subscriptionId, newName, ...(await subjectOf(tx, found, update)), webhookUrl, fallback],
      ...[
        Number(update.allowTraceReentry ?? found.allowTraceReentry),
        giver === undefined ? null : JSON.stringify(giver),
      ],
      now,
    ],
  );
  return await watched(tx, { homeId, subscriptionId });
}

/** Credentials belong to the origin that they were set for, so a change of origin must not carry them along. */
async function unbindElsewhere(
  tx: Transaction,
  { homeId, name, webhookUrl: before, credentialSetId }: FoundSubscription,
  { webhookUrl, changedBy, now }: { webhookUrl: string; changedBy: string; now: number },
): Promise<void> {
  const [origin, boundOrigin] = [new URL(webhookUrl).origin, new URL(before).origin];
  if (credentialSetId === null || origin === boundOrigin) return;
  const details = { subscription: name, origin, boundOrigin };
  await unbindCredentialSet(tx, { homeId, credentialSetId, actor: changedBy, now, details });
}

async function subjectOf(
  tx: Transaction,
  found: FoundSubscription,
  { filter, event }: SubscriptionUpdate,
): Promise<[filter: string | null, event: string | null]> {
  if (event !== undefined) return [null, event];
  if (filter === undefined) return [found.filterText, found.event];
  return [await storeFilter(tx, { watchedId: watchOf(found).watchedId, filter }), null];
}

export async function bindSubscription(
  tx: Transaction,
  { home: { homeId }, name, credentialSet, now }: SubscriptionMoment & { credentialSet: string | null },
): Promise<FoundSubscription> {
  const { subscriptionId } = await lockSubscription(tx, { homeId, name });
  const credentialSetId = credentialSet === null ? null : await requireCredentialSet(tx, homeId, credentialSet);
  await tx.query(
    'update subscription set credential_set_id = $3, updated_at = $4 where repo_id = $1 and subscription_id = $2',
    [homeId, subscriptionId, credentialSetId, now],
  );
  return await watched(tx, { homeId, subscriptionId });
}
