// Converts a manifest into the resources that an install writes.

import { createHash } from 'node:crypto';
import { repositoriesIn } from '@cairn/model/wref';
import { fail } from '@cairn/protocol/errors';
import { type Manifest, type ManifestSubscription, manifest } from '@cairn/protocol/manifest';
import { authorize, authorOf, hasScope, requireCredential } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { checkFilter } from '../action/subscription-filter.rule.ts';
import { causeOf } from '../action/trace.ts';
import type { WriteOrder } from '../commit/drafting.sql.ts';
import { findReadable } from '../read/wref.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import { isMember } from './access.ts';
import { type ComponentRef, componentNotFound, type FoundComponent, findComponent } from './component.sql.ts';
import type { DeclaredResources, KeptNames } from './declare.sql.ts';
import { type FoundInstall, findInstall, notInstalled } from './install.sql.ts';
import { expandManifest, subjectOf } from './manifest.rule.ts';
import type { DeclaredNames } from './obstacle.sql.ts';
import type { DeclaredShape, DeclaredSubscription } from './resource.sql.ts';

const ID_CHARACTERS = 24;

/** The id is derived, so that repeated or concurrent installs are the same install. */
export function installIdOf({ repoId }: Grant, { componentId }: FoundComponent): string {
  return `ins_${createHash('sha256').update(`${repoId}:${componentId}`).digest('hex').slice(0, ID_CHARACTERS)}`;
}

const byInstall = ({ provisioning }: { provisioning: 'install' | 'setup' }) => provisioning === 'install';

export function resourcesOf(manifest: Manifest, { name, setupUrl }: FoundComponent): DeclaredResources {
  const { shapes, credentials, subscriptions, seeds, cli } = manifest;
  const config = cli !== undefined && setupUrl !== undefined ? [{ cliBaseUrl: new URL(setupUrl).origin }] : [];
  return {
    shapes: shapes.filter(byInstall).map(shapeOf),
    credentials: credentials.filter(byInstall).map((set) => ({ name: set.name, description: set.description ?? '' })),
    subscriptions: subscriptions
      .filter(byInstall)
      .map((subscription) => ({ ...declaredOf(subscription), webhookUrl: subscription.webhookUrl })),
    records: [
      ...seeds.map((seed) => ({ shape: seed.shape, name: seed.name, data: seed.data })),
      ...config.map((data) => ({ shape: 'ComponentConfig', name, data })),
    ],
  };
}

export function shapeOf({ name, fields, description }: DeclaredShape): DeclaredShape {
  return { name, fields, description };
}

export function declaredOf(subscription: ManifestSubscription): DeclaredSubscription {
  const { name, webhookUrl, fallbackWebhookUrl, credentials, allowTraceReentry } = subscription;
  const subject = subjectOf(subscription);
  if (subject.filter !== undefined) checkFilter(subject.filter);
  const target = byInstall(subscription) ? { webhookUrl, fallbackWebhookUrl } : {};
  return { name, ...subject, ...target, credentialSet: credentials[0], allowTraceReentry };
}

export function namesIn({ shapes, credentials, subscriptions }: Manifest): DeclaredNames {
  return { shapes: shapes.map(shapeOf), credentials, subscriptions };
}

export function keptBy({ shapes, subscriptions }: Manifest): KeptNames {
  return { shapes: shapes.map(({ name }) => name), subscriptions: subscriptions.map(({ name }) => name) };
}

export async function checkTargets({ outbound }: Context, { subscriptions }: Manifest): Promise<void> {
  for (const [at, subscription] of subscriptions.entries()) {
    if (!byInstall(subscription)) continue;
    const { webhookUrl, fallbackWebhookUrl } = subscription;
    await outbound.check(webhookUrl, `manifest.subscriptions.${at}.webhookUrl`);
    if (fallbackWebhookUrl !== undefined) {
      await outbound.check(fallbackWebhookUrl, `manifest.subscriptions.${at}.fallbackWebhookUrl`);
    }
  }
}

export async function orderOf(
  context: Context,
  grant: Grant,
  records: DeclaredResources['records'] = [],
): Promise<WriteOrder> {
  const { dataBytes, dataDepth, commitReferences } = context.limits;
  return {
    grant,
    createdBy: authorOf(context.principal),
    readable: records.length === 0 ? [] : await findReadable(context, grant, repositoriesIn(records)),
    message: 'An installed component',
    mayConfigure: false,
    atomic: true,
    skipExisting: true,
    limits: { dataBytes, dataDepth, commitReferences },
    trace: causeOf(context).trace,
  };
}

export function installedManifest(
  { repository: { orgName, name: repoName } }: Grant,
  { manifestText }: FoundInstall,
): Manifest {
  return expandManifest(manifest.parse(JSON.parse(manifestText)), { orgName, repoName });
}

/** Installs are visible only with an unnarrowed repo:read. */
export async function authorizeSight(context: Context, address: RepositoryAddress): Promise<Grant> {
  requireCredential(context.principal, 'repo:read');
  const grant = await authorize(context, address, 'repo:read');
  if (grant.narrowing === undefined) return grant;
  throw fail('FORBIDDEN', {
    message:
      'This token can see only part of the repository, so it cannot list installed components. Use a token without `refs` or `shapes`.',
    details: { missing: ['repo:read'] },
  });
}

/** Includes torn-down installs. Callers who may configure the repository also see installs of private components. */
export async function seeInstall(context: Context, grant: Grant, ref: ComponentRef): Promise<FoundInstall> {
  const { database } = context.store;
  const component = await findComponent(database, ref);
  if (component === undefined) throw componentNotFound();
  const install = await findInstall(database, { repoId: grant.repoId, componentId: component.componentId });
  const seen = install !== undefined && hasScope(context, grant, 'repo:configure');
  if (!seen && !(await isOpenTo(context, component))) throw componentNotFound();
  if (install !== undefined) return install;
  throw component.unregisteredAt === undefined ? notInstalled() : componentNotFound();
}

export async function isOpenTo(context: Context, { visibility, orgName }: FoundComponent): Promise<boolean> {
  return visibility === 'public' || (await isMember(context, orgName));
}
