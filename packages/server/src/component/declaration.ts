// What a manifest asks for, in the words of the store; and who writes it.
import { createHash } from 'node:crypto';
import type { Manifest, ManifestSubscription } from '@cairn/protocol/manifest';
import { authorOf } from '../access/attribution.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { checkFilter } from '../action/subscription-filter.rule.ts';
import { causeOf } from '../action/trace.ts';
import type { WriteOrder } from '../commit/drafting.sql.ts';
import { findReferredRepositories } from '../read/wref.ts';
import type { FoundComponent } from './component.sql.ts';
import type { DeclaredResources, KeptNames } from './declare.sql.ts';
import { subjectOf } from './manifest-trigger.rule.ts';
import type { DeclaredNames } from './obstacle.sql.ts';
import type { DeclaredShape } from './shape.sql.ts';
import type { DeclaredSubscription } from './subscription.sql.ts';

const ID_CHARACTERS = 24;

/** The same whenever it is asked for, so that installs that are repeated, or run at once, are one. */
export function installIdOf({ repoId }: Grant, { componentId }: FoundComponent): string {
  return `ins_${createHash('sha256').update(`${repoId}:${componentId}`).digest('hex').slice(0, ID_CHARACTERS)}`;
}

interface Provisioned {
  readonly provisioning: 'install' | 'setup';
}

const byInstall = ({ provisioning }: Provisioned) => provisioning === 'install';

/** What the install makes; the rest is for the setup endpoint. */
export function resourcesOf(manifest: Manifest, { name, setupUrl }: FoundComponent): DeclaredResources {
  const { shapes, credentials, subscriptions, seeds, cli } = manifest;
  // Methods are called where the component is set up, until it says otherwise.
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

/** The address of one that setup makes is for the setup endpoint to say. */
export function declaredOf(subscription: ManifestSubscription): DeclaredSubscription {
  const { name, webhookUrl, fallbackWebhookUrl, credentials, allowTraceReentry } = subscription;
  const subject = subjectOf(subscription);
  if (subject.filter !== undefined) checkFilter(subject.filter);
  const target = byInstall(subscription) ? { webhookUrl, fallbackWebhookUrl } : {};
  return { name, ...subject, ...target, credentialSet: credentials[0], allowTraceReentry };
}

/** All that it names, whoever makes it. */
export function namesIn({ shapes, credentials, subscriptions }: Manifest): DeclaredNames {
  return { shapes: shapes.map(shapeOf), credentials, subscriptions };
}

export function keptBy({ shapes, subscriptions }: Manifest): KeptNames {
  return { shapes: shapes.map(({ name }) => name), subscriptions: subscriptions.map(({ name }) => name) };
}

/** Before anything is written, each with its place in the manifest. */
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

/** `records` may refer to other repositories, as far as who installs them may read those. */
export async function orderOf(
  context: Context,
  grant: Grant,
  records: DeclaredResources['records'] = [],
): Promise<WriteOrder> {
  const { dataBytes, dataDepth, commitReferences } = context.limits;
  return {
    grant,
    createdBy: authorOf(context.principal),
    readable: records.length === 0 ? [] : await findReferredRepositories(context, grant, records),
    message: 'An installed component',
    mayConfigure: false,
    atomic: true,
    skipExisting: true,
    limits: { dataBytes, dataDepth, commitReferences },
    trace: causeOf(context).trace,
  };
}
