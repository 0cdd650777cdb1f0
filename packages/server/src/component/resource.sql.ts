// The shapes and subscriptions that a component declares, compared with those in the repository.

import { canonicalJson } from '@cairn/model/json';
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import type { Grant } from '../access/grant.rule.ts';
import { type FoundSubscription, findSubscription, pauseByServer, storeFilter } from '../action/subscription.sql.ts';
import {
  bindSubscription,
  deleteSubscription,
  resumeSubscription,
  updateSubscription,
} from '../action/subscription-change.write.ts';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import type { InstallKey } from './component-token.sql.ts';

export interface DeclaredShape {
  readonly name: string;
  readonly fields: unknown;
  readonly description?: string | undefined;
}

export interface StandingShape {
  readonly shapeId: number;
  readonly version: number;
  readonly active: boolean;
  readonly data: string;
  readonly owner: { installId: string; version: number; released: boolean } | undefined;
}

interface ShapeRow {
  readonly record_id: number;
  readonly version: number;
  readonly active: number;
  readonly data: string;
  readonly install_id: string | null;
  readonly owned_version: number | null;
  readonly released_at: number | null;
}

const OWNED_SHAPE_COLUMNS =
  'r.record_id, r.version, r.active, v.data, o.install_id, o.version as owned_version, o.released_at';

const FIND_SHAPES: BulkStatement = {
  single: true,
  each: `select ${OWNED_SHAPE_COLUMNS} from name n
    join record r on r.repo_id = n.repo_id and r.record_id = n.record_id
    join version v on v.repo_id = r.repo_id and v.record_id = r.record_id and v.version = r.version
    left join component_shape o on o.repo_id = r.repo_id and o.shape_id = r.record_id
    where n.repo_id = $1 and n.shape_id = 0 and n.name = $2 and n.to_seq is null`,
  set: `select k.ord::int as ord, ${OWNED_SHAPE_COLUMNS} from unnest($2::text[]) with ordinality as k (name, ord)
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = 0 and name = k.name collate "C" and to_seq is null limit 1) as n
    cross join lateral (select record_id, version, active from record
      where repo_id = $1 and record_id = n.record_id limit 1) as r
    cross join lateral (select data from version
      where repo_id = $1 and record_id = n.record_id and version = r.version limit 1) as v
    left join component_shape o on o.repo_id = $1 and o.shape_id = r.record_id`,
};

export async function findStandingShapes(
  reader: Reader,
  { repoId, names }: { repoId: number; names: readonly string[] },
): Promise<Map<string, StandingShape>> {
  const rows = await reader.bulk<ShapeRow>(FIND_SHAPES, { common: [repoId], rows: names.map((name) => [name]) });
  return new Map(rows.map((row) => [names[row.ord] ?? '', toStanding(row)]));
}

function toStanding(row: ShapeRow): StandingShape {
  const { install_id: installId, owned_version: version, released_at } = row;
  const owner = installId === null ? undefined : { installId, version: version ?? 0, released: released_at !== null };
  return { shapeId: row.record_id, version: row.version, active: row.active === 1, data: row.data, owner };
}

/** `own` includes a shape that the install released earlier; `used` is a foreign shape with the same fields. */
type Standing = 'absent' | 'own' | 'used' | 'obstacle';

export function standingOf(
  declared: DeclaredShape,
  found: StandingShape | undefined,
  { installId }: Pick<InstallKey, 'installId'>,
): Standing {
  if (found === undefined) return 'absent';
  const { owner } = found;
  const fits = hasFields(found, declared);
  if (owner?.installId === installId && (!owner.released || fits || owner.version === found.version)) return 'own';
  return fits && found.active ? 'used' : 'obstacle';
}

export function hasFields({ data }: StandingShape, { fields }: DeclaredShape): boolean {
  return canonicalJson(JSON.parse(data).fields) === canonicalJson(fields);
}

export function isAsDeclared({ data, active }: StandingShape, declared: DeclaredShape): boolean {
  return active && data === canonicalJson(definitionOf(declared));
}

export function definitionOf({ fields, description }: DeclaredShape): object {
  return { fields, ...(description !== undefined && { description }) };
}

const OWN_SHAPE: BulkStatement = {
  each: `insert into component_shape (repo_id, install_id, shape_id, version) values ($1, $2, $3, $4)
    on conflict (repo_id, shape_id) do update set install_id = excluded.install_id, version = excluded.version,
      released_at = null`,
  set: `insert into component_shape (repo_id, install_id, shape_id, version)
    select $1::bigint, $2::text, * from unnest($3::bigint[], $4::bigint[])
    on conflict (repo_id, shape_id) do update set install_id = excluded.install_id, version = excluded.version,
      released_at = null`,
};

export async function ownShapes(
  tx: Transaction,
  { repoId, installId, shapes }: InstallKey & { shapes: readonly StandingShape[] },
): Promise<void> {
  const rows = shapes.map(({ shapeId, version }) => [shapeId, version]);
  await tx.bulk(OWN_SHAPE, { common: [repoId, installId], rows });
}

const RELEASE_SHAPE: BulkStatement = {
  each: 'update component_shape set released_at = $2, version = $4 where repo_id = $1 and shape_id = $3',
  set: `update component_shape as o set released_at = $2, version = k.version
    from unnest($3::bigint[], $4::bigint[]) as k (shape_id, version)
    where o.repo_id = $1 and o.shape_id = k.shape_id`,
};

/** The stored version shows later whether anybody has changed the shape since. */
export async function releaseShapes(
  tx: Transaction,
  { repoId, installId, kept, now }: InstallKey & { kept: readonly string[]; now: number },
): Promise<void> {
  const owned = await tx.query<{ shape_id: number; name: string; version: number }>(
    `select o.shape_id, r.name, r.version from component_shape o
     join record r on r.repo_id = o.repo_id and r.record_id = o.shape_id
     where o.repo_id = $1 and o.install_id = $2 and o.released_at is null order by o.shape_id`,
    [repoId, installId],
  );
  const released = owned.filter(({ name }) => !kept.includes(name));
  const rows = released.map(({ shape_id, version }) => [shape_id, version]);
  await tx.bulk(RELEASE_SHAPE, { common: [repoId, now], rows });
}

export interface DeclaredSubscription {
  readonly name: string;
  readonly filter?: SubscriptionFilter | undefined;
  readonly event?: string | undefined;
  readonly webhookUrl?: string | undefined;
  readonly fallbackWebhookUrl?: string | undefined;
  readonly credentialSet?: string | undefined;
  readonly allowTraceReentry: boolean;
}

export type NewDeclaredSubscription = DeclaredSubscription & { readonly webhookUrl: string };

interface SubscriptionOwner {
  readonly grant: Grant;
  readonly component: string;
  readonly createdBy: string;
  readonly now: number;
}

async function findComponentSubscriptions(
  reader: Reader,
  { repoId, component }: { repoId: number; component: string },
): Promise<{ name: string; subscriptionId: string; active: boolean }[]> {
  const rows = await reader.query<{ name: string; subscriptionId: string; active: number }>(
    `select name, subscription_id as "subscriptionId", active from subscription
     where component = $2 and repo_id = $1 order by name`,
    [repoId, component],
  );
  return rows.map((row) => ({ ...row, active: row.active === 1 }));
}

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
  // Runs last, because an update to another origin unbinds the previous set.
  if (drifts.includes('credentials')) {
    await bindSubscription(tx, { home, name, credentialSet: declared.credentialSet ?? null, now });
  }
  if (!found.active) await resumeSubscription(tx, { home, name, now });
}

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

/** Compares stored filters, because a shape may have been renamed since. */
async function hasSubject(
  reader: Reader,
  { homeId, event, filterText }: FoundSubscription,
  declared: DeclaredSubscription,
): Promise<boolean> {
  if (declared.filter === undefined || filterText === null) return (declared.event ?? null) === event;
  const wanted = await storeFilter(reader, { watchedId: homeId, filter: declared.filter });
  return canonicalJson(JSON.parse(wanted)) === canonicalJson(JSON.parse(filterText));
}

export async function keepSubscriptions(
  tx: Transaction,
  { grant, component, now }: SubscriptionOwner,
  declared: readonly string[],
): Promise<void> {
  const home = { homeId: grant.repoId, grant };
  for (const { name, subscriptionId, active } of await findComponentSubscriptions(tx, { ...grant, component })) {
    const wanted = declared.includes(name);
    if (wanted && !active) await resumeSubscription(tx, { home, name, now });
    const reason = 'The installed version of its component no longer has it.';
    if (!wanted && active) await pauseByServer(tx, { homeId: grant.repoId, subscriptionId, reason, now });
  }
}

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
