// The subscriptions that came with a component: made as it declares them, and set right where they are not.
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import type { Grant } from '../access/grant.rule.ts';
import { type FoundSubscription, findSubscription, pauseByServer, storeFilter } from '../action/subscription.sql.ts';
import {
  bindSubscription,
  createSubscription,
  deleteSubscription,
  resumeSubscription,
  updateSubscription,
} from '../action/subscription-change.write.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { canonicalJson } from '../model/canonical-json.ts';

export interface DeclaredSubscription {
  readonly name: string;
  readonly filter?: SubscriptionFilter | undefined;
  readonly event?: string | undefined;
  /** `undefined`: whatever it is. */
  readonly webhookUrl?: string | undefined;
  readonly fallbackWebhookUrl?: string | undefined;
  readonly credentialSet?: string | undefined;
  readonly allowTraceReentry: boolean;
}

/** One that is to be made has its address. */
export type NewDeclaredSubscription = DeclaredSubscription & { readonly webhookUrl: string };

/** Whose it is, and who asks. */
export interface SubscriptionOwner {
  readonly grant: Grant;
  /** As org/name. */
  readonly component: string;
  readonly createdBy: string;
  readonly now: number;
}

export interface HeldSubscription {
  readonly name: string;
  readonly subscriptionId: string;
  readonly active: boolean;
}

/** Those that came with the component, whatever its versions declared. */
export async function findComponentSubscriptions(
  reader: Reader,
  { repoId, component }: { repoId: number; component: string },
): Promise<HeldSubscription[]> {
  const rows = await reader.query<{ name: string; subscription_id: string; active: number }>(
    'select name, subscription_id, active from subscription where component = $2 and repo_id = $1 order by name',
    [repoId, component],
  );
  return rows.map(({ name, subscription_id, active }) => ({
    name,
    subscriptionId: subscription_id,
    active: active === 1,
  }));
}

export async function makeSubscription(
  tx: Transaction,
  { grant, component, createdBy, now }: SubscriptionOwner,
  declared: NewDeclaredSubscription,
): Promise<void> {
  const home = { homeId: grant.repoId, grant };
  await createSubscription(tx, { home, ...declared, component, createdBy, now });
}

/** One that is there already and came with the component. */
export async function setRightSubscription(
  tx: Transaction,
  { grant, createdBy, now }: SubscriptionOwner,
  declared: DeclaredSubscription,
): Promise<void> {
  const { name } = declared;
  const home = { homeId: grant.repoId, grant };
  const found = await findSubscription(tx, { homeId: grant.repoId, name });
  const drifts = await findDrifts(tx, found, declared);
  if (drifts.some((drift) => drift !== 'credentials')) {
    const fallbackWebhookUrl = declared.fallbackWebhookUrl ?? null;
    await updateSubscription(tx, { home, ...declared, fallbackWebhookUrl, changedBy: createdBy, now });
  }
  // Afterwards: another origin unbinds the set that was used before.
  if (drifts.includes('credentials')) {
    await bindSubscription(tx, { home, name, credentialSet: declared.credentialSet ?? null, now });
  }
  if (!found.active) await resumeSubscription(tx, { home, name, now });
}

/** What of it is not as it is declared, in words of the manifest. */
export async function findDrifts(
  reader: Reader,
  found: FoundSubscription,
  declared: DeclaredSubscription,
): Promise<string[]> {
  const { webhookUrl = found.webhookUrl, credentialSet = null, fallbackWebhookUrl = null } = declared;
  const differs: [what: string, differs: boolean][] = [
    ['trigger', !(await hasSubject(reader, found, declared))],
    ['webhookUrl', webhookUrl !== found.webhookUrl],
    ['fallbackWebhookUrl', fallbackWebhookUrl !== found.fallbackWebhookUrl],
    ['credentials', credentialSet !== found.credentialSet],
    ['allowTraceReentry', declared.allowTraceReentry !== found.allowTraceReentry],
  ];
  return differs.filter(([, differ]) => differ).map(([what]) => what);
}

/** Filters are held against each other as they are kept: by then a shape may have another name. */
async function hasSubject(
  reader: Reader,
  { homeId, event, filterText }: FoundSubscription,
  declared: DeclaredSubscription,
): Promise<boolean> {
  if (declared.filter === undefined || filterText === null) return (declared.event ?? null) === event;
  const wanted = await storeFilter(reader, { watchedId: homeId, filter: declared.filter });
  return canonicalJson(JSON.parse(wanted)) === canonicalJson(JSON.parse(filterText));
}

/** Those that a version does not declare any more rest; those that it declares work again. */
export async function keepSubscriptions(
  tx: Transaction,
  { grant, component, now }: SubscriptionOwner,
  declared: readonly string[],
): Promise<void> {
  const home = { homeId: grant.repoId, grant };
  for (const { name, subscriptionId, active } of await findComponentSubscriptions(tx, { ...grant, component })) {
    const wanted = declared.includes(name);
    if (wanted && !active) await resumeSubscription(tx, { home, name, now });
    const reason = 'The installed version of its component does not have it any more.';
    if (!wanted && active) await pauseByServer(tx, { homeId: grant.repoId, subscriptionId, reason, now });
  }
}

/** Those that are named are deleted, the others rest. */
export async function endSubscriptions(
  tx: Transaction,
  { grant, component, now }: Omit<SubscriptionOwner, 'createdBy'>,
  { deletes, reason }: { deletes: (name: string) => boolean; reason: string },
): Promise<void> {
  const home = { homeId: grant.repoId, grant };
  for (const { name, subscriptionId, active } of await findComponentSubscriptions(tx, { ...grant, component })) {
    if (deletes(name)) await deleteSubscription(tx, { home, name, now });
    else if (active) await pauseByServer(tx, { homeId: grant.repoId, subscriptionId, reason, now });
  }
}
