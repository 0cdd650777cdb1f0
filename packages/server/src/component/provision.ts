// The writes of a setup token: exactly what the manifest leaves to setup. Creating is idempotent, because each update
// calls the setup endpoint again.

import { canonicalJson } from '@cairn/model/json';
import type { AuditAction } from '@cairn/protocol/audit-action';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Manifest, ManifestSubscription } from '@cairn/protocol/manifest';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import { authorizeSetup } from '../access/access.ts';
import { auditedIn } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { type HomeAddress, type HomeGrant, ofRepository } from '../access/home.ts';
import { invalidAt } from '../access/invalid.rule.ts';
import { findCredentialSetId } from '../action/delivery/credential-set.sql.ts';
import { originsOf } from './access.ts';
import { fullNameOf } from './component.sql.ts';
import { declaredOf, installedManifest, orderOf, shapeOf } from './declaration.ts';
import type { DeclaredResources } from './declare.sql.ts';
import { type FoundInstall, findInstall } from './install.sql.ts';
import { suppliedPath } from './manifest.rule.ts';

interface Setup {
  readonly grant: Grant;
  readonly install: FoundInstall;
  readonly manifest: Manifest;
}

export async function provisionShape(
  context: Context,
  { name, fields, ...address }: ProcedureArguments<'shape.create'>,
): Promise<{ grant: Grant; atRepoSeq: number }> {
  const setup = await openSetup(context, address);
  const declared = leftToSetup(setup.manifest.shapes, name);
  if (canonicalJson(fields) !== canonicalJson(declared.fields)) {
    throw invalidAt(
      'fields',
      `The manifest declares other fields for ${name}. Use those fields, or publish another version.`,
    );
  }
  const repoSeq = await declare(context, setup, { resources: { ...NO_RESOURCES, shapes: [shapeOf(declared)] } });
  const grant = await authorizeSetup(context, address);
  return { grant, atRepoSeq: repoSeq ?? grant.repository.repoSeq };
}

export async function provisionSet(
  context: Context,
  { name, ...address }: ProcedureArguments<'credential.get'>,
): Promise<HomeGrant> {
  const setup = await openSetup(context, address);
  const { description = '' } = leftToSetup(setup.manifest.credentials, name);
  const resources = { ...NO_RESOURCES, credentials: [{ name, description }] };
  await declare(context, setup, { resources, told: { action: 'credential.create', name } });
  return ofRepository(setup.grant);
}

export async function openOwnSet(
  context: Context,
  { name, ...address }: ProcedureArguments<'credential.get'>,
): Promise<HomeGrant> {
  const setup = await openSetup(context, address);
  await requireOwnSet(context, setup, leftToSetup(setup.manifest.credentials, name).name);
  return ofRepository(setup.grant);
}

export async function provisionSubscription(
  context: Context,
  input: ProcedureArguments<'subscription.create'>,
): Promise<HomeGrant> {
  const { name, webhookUrl, fallbackWebhookUrl, source } = input;
  const setup = await openSetup(context, input);
  const declared = leftToSetup(setup.manifest.subscriptions, name);
  if (source !== undefined)
    throw invalidAt('source', 'A component can subscribe only to its own repository. Leave out source.');
  requireTarget(setup, declared.webhookUrl, 'webhookUrl', webhookUrl);
  if (fallbackWebhookUrl !== undefined) requireFallback(setup, declared, fallbackWebhookUrl);
  const fallback = fallbackWebhookUrl ?? fixedUrl(declared.fallbackWebhookUrl);
  await context.outbound.check(webhookUrl, 'webhookUrl');
  if (fallback !== undefined) await context.outbound.check(fallback, 'fallbackWebhookUrl');
  const trigger = declaredOf(declared);
  if (trigger.credentialSet !== undefined) await requireOwnSet(context, setup, trigger.credentialSet);
  const made = { ...trigger, webhookUrl, ...(fallback !== undefined && { fallbackWebhookUrl: fallback }) };
  const resources = { ...NO_RESOURCES, subscriptions: [made] };
  await declare(context, setup, { resources, told: { action: 'subscription.create', name } });
  return ofRepository(setup.grant);
}

async function openSetup(context: Context, { orgName, repoName }: HomeAddress): Promise<Setup> {
  const { principal, store } = context;
  const grant = await authorizeSetup(context, { orgName, repoName: repoName ?? '' });
  const installId = (principal.kind === 'component' && principal.installId) || '';
  const install = await findInstall(store.database, { repoId: grant.repoId, installId });
  if (install === undefined)
    throw fail('FORBIDDEN', { message: 'This token belongs to no install. Install the component.' });
  return { grant, install, manifest: installedManifest(grant, install) };
}

function leftToSetup<Resource extends { name: string; provisioning: 'install' | 'setup' }>(
  resources: readonly Resource[],
  name: string,
): Resource {
  const found = resources.find((resource) => resource.name === name && resource.provisioning === 'setup');
  if (found !== undefined) return found;
  throw fail('FORBIDDEN', {
    message: `The installed manifest does not leave ${name} to setup. A setup token can create only the resources that it does.`,
  });
}

async function requireOwnSet({ store }: Context, { grant, install }: Setup, name: string): Promise<void> {
  const component = fullNameOf(install.component);
  const found = await findCredentialSetId(store.database, { homeId: grant.repoId, name, component });
  if (found !== undefined) return;
  throw fail('CONFLICT', {
    message: `This component has no credential set ${name}. Create it first.`,
    details: { reason: 'no_credential_set', credentialSet: name },
  });
}

function requireTarget({ install }: Setup, declared: string, path: string, url: string): void {
  const { origin = url, pathname } = URL.parse(url) ?? {};
  if (!originsOf(install.component).includes(origin)) {
    throw forbidden(`${path}: ${origin} is not a registered origin of the component.`);
  }
  const wanted = suppliedPath(declared);
  if (wanted === undefined ? url !== declared : pathname !== wanted) {
    throw forbidden(
      `${path}: the manifest declares ${wanted === undefined ? 'another address' : `the path ${wanted}`}.`,
    );
  }
}

function requireFallback(setup: Setup, { fallbackWebhookUrl }: ManifestSubscription, url: string): void {
  if (fallbackWebhookUrl === undefined) throw forbidden('fallbackWebhookUrl: the manifest declares none.');
  requireTarget(setup, fallbackWebhookUrl, 'fallbackWebhookUrl', url);
}

function fixedUrl(declared: string | undefined): string | undefined {
  return declared === undefined || suppliedPath(declared) !== undefined ? undefined : declared;
}

const NO_RESOURCES: DeclaredResources = { shapes: [], credentials: [], subscriptions: [], records: [] };

interface Declaring {
  readonly resources: DeclaredResources;
  /** The audit entry. Shapes need none, because the commit records them. */
  readonly told?: { readonly action: AuditAction; readonly name: string };
}

async function declare(
  context: Context,
  { grant, install }: Setup,
  { resources, told }: Declaring,
): Promise<number | undefined> {
  const { installId, manifestHash } = install;
  const { componentId } = install.component;
  const component = fullNameOf(install.component);
  const entry = told && auditedIn(context, grant, told.action, { component }, told.name);
  const order = await orderOf(context, grant);
  const declaration = { ...order, installId, componentId, manifestHash, resources, now: Date.now() };
  return (await context.store.write.declareResources(declaration, entry)).repoSeq;
}

function forbidden(message: string): CairnError {
  return fail('FORBIDDEN', { message });
}
