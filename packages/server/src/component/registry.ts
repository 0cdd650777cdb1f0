import { createHash } from 'node:crypto';
import { canonicalJson, counted } from '@cairn/model/json';
import { storableText } from '@cairn/model/problem';
import type { AuditAction } from '@cairn/protocol/audit-action';
import type { Component, ManifestProblem, RegistryItem } from '@cairn/protocol/component';
import { ended, fail } from '@cairn/protocol/errors';
import { type Manifest, manifest as manifestSchema } from '@cairn/protocol/manifest';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import { accountOf, authorOf } from '../access/access.ts';
import type { AuditEntry } from '../access/audit.sql.ts';
import { audited } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { OrganizationGrant } from '../access/grant.rule.ts';
import { authorizeOrganization, authorizeProfile } from '../access/organization-access.ts';
import { maskedOrigin } from '../action/delivery/target.ts';
import { isMember, seeComponent } from './access.ts';
import { type FoundComponent, type FoundVersion, findVersion, listComponents, listVersions } from './component.sql.ts';
import { checkManifest, mintedTokensOf } from './manifest.rule.ts';
import type { Publication } from './publish.write.ts';

const VERSIONS_SHOWN = 200;

type PublicationForm = ProcedureArguments<'component.publish'>;

export const registerComponent = publishing('component.register', 'registerComponent');
export const publishComponent = publishing('component.publish', 'publishComponent');

function publishing(
  action: 'component.register' | 'component.publish',
  write: 'registerComponent' | 'publishComponent',
) {
  return async (
    context: Context,
    { orgName, ...form }: ProcedureArguments<'component.publish'>,
  ): Promise<Component> => {
    const grant = await authorizeOrganization(context, orgName, 'org:configure');
    const publication = await publicationOf(context, grant, form);
    const audit = auditPublication(context, grant, action, publication);
    return await shownComponent(context, await context.store.write[write](publication, audit));
  };
}

export async function listRegistry(
  context: Context,
  { orgName, q = '', limit, cursor }: ProcedureArguments<'component.registry'>,
): Promise<Page<RegistryItem>> {
  const { principal, store } = context;
  const list = openList<[string, string]>(context, 'component.registry', { orgName, q }, { cursor, limit });
  const [afterOrg, afterName] = list.after ?? ['', ''];
  const found = await listComponents(store.database, {
    accountId: accountOf(principal),
    orgName,
    words: storableText(q)
      .split(/\s+/)
      .filter((word) => word !== ''),
    after: { orgName: afterOrg, name: afterName },
    limit: limit + 1,
  });
  // An empty list for a hidden organization would hide a mistyped name.
  if (found.length === 0 && orgName !== undefined) await authorizeProfile(context, orgName);
  const page = list.toPage(found, (last) => [last.orgName, last.name]);
  return {
    ...page,
    items: page.items.map((item) => ({
      ...itemOf(item, { version: item.latestVersion, manifestHash: item.manifestHash }),
      createdBy: shownPublisher(item.createdBy, item.isMember),
    })),
  };
}

export async function viewComponent(
  context: Context,
  { version, ...ref }: ProcedureArguments<'component.view'>,
): Promise<Component> {
  return await shownComponent(context, await seeComponent(context, ref), version);
}

export async function unregisterComponent(
  context: Context,
  { orgName, name }: ProcedureArguments<'component.unregister'>,
): Promise<RegistryItem> {
  const grant = await authorizeOrganization(context, orgName, 'org:configure');
  const audit = auditPublication(context, grant, 'component.unregister', { name });
  const { store } = context;
  const found = await store.write.unregisterComponent({ grant, name, now: Date.now() }, audit);
  return itemOf(found, await publishedVersion(context, found));
}

async function publicationOf(
  context: Context,
  grant: OrganizationGrant,
  { manifest: json, ...form }: Omit<PublicationForm, 'orgName'>,
): Promise<Publication> {
  const manifest = requireManifest(json, form.name);
  await checkTargets(context, form);
  const { id: manifestId, version, description } = manifest.component;
  const origins = form.allowedCallbacks?.map((url) => new URL(url).origin);
  return {
    ...form,
    grant,
    ...(origins !== undefined && { allowedCallbacks: [...new Set(origins)] }),
    manifestId,
    description: description && storableText(description),
    version,
    manifestText: JSON.stringify(json),
    manifestHash: createHash('sha256').update(canonicalJson(json)).digest('hex'),
    publishedBy: authorOf(context.principal),
    now: Date.now(),
  };
}

function requireManifest(json: unknown, name: string): Manifest {
  const { manifest, problems } = checkManifest(json);
  const named = manifest?.component.name ?? name;
  const renamed = { path: 'component.name', message: `expected ${name}, the registered name, got ${named}` };
  const all = named === name ? problems : [...problems, renamed];
  if (manifest === undefined || all.length > 0) throw manifestRefused(all);
  return manifest;
}

function manifestRefused(problems: readonly ManifestProblem[]) {
  const details = problems.map(({ path, message }) => ({
    path: path === '' ? 'manifest' : `manifest.${path}`,
    message,
  }));
  const [first] = details;
  const others = details.length > 1 ? ` (and ${counted(details.length - 1, 'more problem')})` : '';
  return fail('VALIDATION_ERROR', { message: ended(`${first?.path}: ${first?.message}${others}`), details });
}

async function checkTargets({ outbound }: Context, form: Omit<PublicationForm, 'orgName' | 'manifest'>): Promise<void> {
  const { setupUrl, uninstallUrl, allowedCallbacks = [] } = form;
  if (setupUrl !== undefined) await outbound.check(setupUrl, 'setupUrl');
  if (uninstallUrl !== undefined) await outbound.check(uninstallUrl, 'uninstallUrl');
  for (const [at, url] of allowedCallbacks.entries()) await outbound.check(url, `allowedCallbacks.${at}`);
}

async function publishedVersion(
  { store }: Context,
  { componentId, latestVersion, orgName, name }: FoundComponent,
  version = latestVersion,
): Promise<FoundVersion> {
  const found = await findVersion(store.database, { componentId, version });
  if (found !== undefined) return found;
  throw fail('NOT_FOUND', {
    message: `${orgName}/${name} has no version ${version}. component.view without a version lists all versions.`,
  });
}

async function shownComponent(context: Context, found: FoundComponent, version?: string): Promise<Component> {
  const { componentId, setupUrl, uninstallUrl, credentialSet, latestVersion, allowedCallbacks } = found;
  const published = await publishedVersion(context, found, version);
  const member = await isMember(context, found.orgName);
  const versions = await listVersions(context.store.database, { componentId, limit: VERSIONS_SHOWN });
  const json = JSON.parse(published.manifestText);
  const manifest = manifestSchema.parse(json);
  return {
    ...itemOf(found, published),
    createdBy: shownPublisher(found.createdBy, member),
    latestVersion,
    manifest: json,
    versions: versions.map((one) => ({ ...one, publishedBy: shownPublisher(one.publishedBy, member) })),
    ...(setupUrl !== undefined && { setupOrigin: maskedOrigin(setupUrl) }),
    ...(uninstallUrl !== undefined && { uninstallOrigin: maskedOrigin(uninstallUrl) }),
    allowedCallbacks: [...allowedCallbacks],
    mintedTokens: [...mintedTokensOf(found, manifest)],
    ...(member && credentialSet !== undefined && { credentialSet }),
    warnings: [
      ...checkManifest(json).warnings,
      ...(member ? [...addressWarnings(found, manifest), ...signingWarnings(found)] : []),
    ],
  };
}

function addressWarnings({ setupUrl, allowedCallbacks }: FoundComponent, manifest: Manifest): ManifestProblem[] {
  if (setupUrl !== undefined) return [];
  const { shapes, credentials, subscriptions, cli } = manifest;
  const unmade = [...shapes, ...credentials, ...subscriptions].filter(({ provisioning }) => provisioning === 'setup');
  if (unmade.length > 0) {
    const names = unmade.map(({ name }) => name).join(', ');
    const message = `The manifest leaves ${names} to setup, but there is no setup endpoint to create them. Add a setupUrl.`;
    return [{ path: 'setupUrl', message }];
  }
  if ((cli?.methods ?? []).length === 0 || allowedCallbacks.length > 0) return [];
  const message = 'The methods have no address where they can be called. Add a setupUrl or allowedCallbacks.';
  return [{ path: 'allowedCallbacks', message }];
}

function signingWarnings({ setupUrl, uninstallUrl, credentialSetId }: FoundComponent): ManifestProblem[] {
  if ((setupUrl ?? uninstallUrl) === undefined || credentialSetId !== undefined) return [];
  const message =
    'Calls of setupUrl and uninstallUrl are not signed. Set a credential set with WEBHOOK_SIGNING_SECRET, so that the component can verify the caller.';
  return [{ path: 'credentialSet', message }];
}

function itemOf(
  found: FoundComponent,
  { version, manifestHash }: Pick<FoundVersion, 'version' | 'manifestHash'>,
): RegistryItem {
  const { orgName, name, manifestId: id, description, visibility, createdBy, createdAt, updatedAt } = found;
  return {
    ...{ orgName, name, id },
    ...(description !== undefined && { description }),
    ...{ visibility, version, manifestHash, hasSetup: found.setupUrl !== undefined, createdBy, createdAt, updatedAt },
  };
}

function shownPublisher(author: string, member: boolean): string {
  return member ? author : author.replace(/^token:([^/]+)\/.*$/, 'token:$1');
}

function auditPublication(
  context: Context,
  { organization, orgId }: OrganizationGrant,
  action: AuditAction,
  publication: Pick<Publication, 'name'> & Partial<Publication>,
): AuditEntry {
  const { name, version, manifestHash, visibility, setupUrl, uninstallUrl } = publication;
  const { allowedCallbacks, credentialSet, mintedTokens } = publication;
  const details = {
    ...{ version, manifestHash, visibility, allowedCallbacks, credentialSet, mintedTokens },
    setupOrigin: setupUrl && maskedOrigin(setupUrl),
    uninstallOrigin: uninstallUrl && maskedOrigin(uninstallUrl),
  };
  return audited(context, { action, target: `${organization.name}/${name}`, details, places: [{ orgId }] });
}
