// Writes to the registry of components. A published version never changes.

import { compareVersions } from '@cairn/model/version-order';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { homeIdOf, type OrganizationGrant } from '../access/grant.rule.ts';
import { invalidAt } from '../access/invalid.rule.ts';
import { findCredentialSetId } from '../action/delivery/credential-set.sql.ts';
import type { Transaction, Value } from '../engine/database.ts';
import { lockWritable } from '../repository/organization.sql.ts';
import {
  COMPONENT_COLUMNS,
  type ComponentRow,
  componentNotFound,
  type FoundComponent,
  FROM_COMPONENT,
  findVersion,
  queryComponents,
  toComponent,
} from './component.sql.ts';
import type { MintedToken } from './manifest.rule.ts';

/** Members that are left out keep their values. */
interface Registration {
  readonly setupUrl?: string | undefined;
  readonly uninstallUrl?: string | undefined;
  readonly allowedCallbacks?: readonly string[] | undefined;
  readonly credentialSet?: string | undefined;
  readonly mintedTokens?: readonly MintedToken[] | undefined;
  readonly visibility?: FoundComponent['visibility'] | undefined;
}

export interface Publication extends Registration {
  readonly grant: OrganizationGrant;
  readonly name: string;
  readonly manifestId: string;
  readonly description: string | undefined;
  readonly version: string;
  readonly manifestText: string;
  readonly manifestHash: string;
  readonly publishedBy: string;
  readonly now: number;
}

type Settings = Pick<
  FoundComponent,
  'setupUrl' | 'uninstallUrl' | 'allowedCallbacks' | 'credentialSetId' | 'mintedTokens' | 'visibility'
>;

const UNSET: Settings = {
  setupUrl: undefined,
  uninstallUrl: undefined,
  allowedCallbacks: [],
  credentialSetId: undefined,
  mintedTokens: undefined,
  visibility: 'private',
};

/** Also registers an unregistered component again, with all its versions. */
export async function registerComponent(tx: Transaction, publication: Publication): Promise<FoundComponent> {
  const { grant, name } = publication;
  await lockWritable(tx, grant);
  const before = await lockComponent(tx, publication);
  if (before === undefined) return await insertComponent(tx, publication);
  if (before.unregisteredAt === undefined) throw alreadyRegistered(`${before.orgName}/${name}`);
  return await publishVersion(tx, publication, { ...before, ...UNSET });
}

export async function publishComponent(tx: Transaction, publication: Publication): Promise<FoundComponent> {
  await lockWritable(tx, publication.grant);
  return await publishVersion(tx, publication, await lockRegistered(tx, publication));
}

export async function unregisterComponent(
  tx: Transaction,
  removal: { grant: OrganizationGrant; name: string; now: number },
): Promise<FoundComponent> {
  await lockWritable(tx, removal.grant);
  const found = await lockRegistered(tx, removal);
  const { componentId } = found;
  const sql = 'update component set unregistered_at = $2, updated_at = $2 where id = $1';
  await tx.query(sql, [componentId, removal.now]);
  return found;
}

/** Locks the row, so that of two concurrent publications the second sees the first. */
async function lockComponent(
  tx: Transaction,
  { grant, name }: Pick<Publication, 'grant' | 'name'>,
): Promise<FoundComponent | undefined> {
  const key = [grant.orgId, name];
  await tx.query(`select id from component where organization_id = $1 and name = $2 ${tx.forUpdate}`, key);
  const [row] = await queryComponents<ComponentRow>(
    tx,
    `select ${COMPONENT_COLUMNS} ${FROM_COMPONENT} where component.organization_id = $1 and component.name = $2`,
    key,
  );
  return row && toComponent(row);
}

async function lockRegistered(
  tx: Transaction,
  component: Pick<Publication, 'grant' | 'name'>,
): Promise<FoundComponent> {
  const found = await lockComponent(tx, component);
  if (found === undefined || found.unregisteredAt !== undefined) throw componentNotFound();
  return found;
}

async function insertComponent(tx: Transaction, publication: Publication): Promise<FoundComponent> {
  const { grant, name, manifestId, description = null, version, publishedBy, now } = publication;
  const settings = await settingsOf(tx, publication, UNSET);
  const [row] = await tx.query<{ id: number }>(
    `insert into component (organization_id, name, manifest_id, description, latest_version, created_by, created_at,
       updated_at, visibility, setup_url, uninstall_url, allowed_callbacks, credential_set_id, minted_tokens)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $13) returning id`,
    [grant.orgId, name, manifestId, description, version, publishedBy, now, ...columnsOf(settings)],
  );
  if (row === undefined) throw new Error('a component that was just written was not returned');
  await insertVersion(tx, publication, row.id);
  return await writtenComponent(tx, publication);
}

/** Publishing an existing version again changes only the registration. */
async function publishVersion(
  tx: Transaction,
  publication: Publication,
  before: FoundComponent,
): Promise<FoundComponent> {
  const { componentId } = before;
  requireSameId(publication, before);
  const isNew = await requireNewVersion(tx, publication, before);
  if (isNew) await insertVersion(tx, publication, componentId);
  const latest = isNew ? publication : { version: before.latestVersion, description: before.description };
  const settings = await settingsOf(tx, publication, before);
  if (!isNew && before.unregisteredAt === undefined && isSame(settings, before)) return before;
  await tx.query(
    `update component set description = $2, latest_version = $3, updated_at = $4, unregistered_at = null, visibility = $5,
       setup_url = $6, uninstall_url = $7, allowed_callbacks = $8, credential_set_id = $9, minted_tokens = $10
     where id = $1`,
    [componentId, latest.description ?? null, latest.version, publication.now, ...columnsOf(settings)],
  );
  return await writtenComponent(tx, publication);
}

async function writtenComponent(tx: Transaction, publication: Publication): Promise<FoundComponent> {
  const found = await lockComponent(tx, publication);
  if (found === undefined) throw new Error('a component that was just written cannot be found');
  return found;
}

async function requireNewVersion(
  tx: Transaction,
  { version, manifestHash }: Publication,
  { componentId, latestVersion }: FoundComponent,
): Promise<boolean> {
  const published = await findVersion(tx, { componentId, version });
  if (published?.manifestHash === manifestHash) return false;
  if (published !== undefined) {
    throw fail('CONFLICT', {
      message: `Version ${version} was published with another manifest and cannot change. Publish this manifest as a version after ${latestVersion}.`,
      details: { reason: 'version_exists', latestVersion },
    });
  }
  if (compareVersions(version, latestVersion) > 0) return true;
  throw fail('CONFLICT', {
    message: `The version ${version} does not come after the latest version, ${latestVersion}. Publish a higher version.`,
    details: { reason: 'version_order', latestVersion },
  });
}

function requireSameId({ manifestId }: Publication, before: FoundComponent): void {
  if (manifestId === before.manifestId) return;
  throw fail('CONFLICT', {
    message: `The id of ${before.orgName}/${before.name} is ${before.manifestId} and cannot change. Publish ${manifestId} under another name.`,
    details: { reason: 'id_changed', id: before.manifestId },
  });
}

async function insertVersion(tx: Transaction, publication: Publication, componentId: number): Promise<void> {
  const { version, manifestText, manifestHash, publishedBy, now } = publication;
  await tx.query(
    `insert into component_version (component_id, version, manifest, manifest_hash, published_by, published_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [componentId, version, manifestText, manifestHash, publishedBy, now],
  );
}

async function settingsOf(tx: Transaction, publication: Publication, before: Settings): Promise<Settings> {
  const { credentialSet } = publication;
  const settings: Settings = {
    setupUrl: publication.setupUrl ?? before.setupUrl,
    uninstallUrl: publication.uninstallUrl ?? before.uninstallUrl,
    allowedCallbacks: publication.allowedCallbacks ?? before.allowedCallbacks,
    credentialSetId:
      credentialSet === undefined ? before.credentialSetId : await findOwnSet(tx, publication, credentialSet),
    mintedTokens: publication.mintedTokens ?? before.mintedTokens,
    visibility: publication.visibility ?? before.visibility,
  };
  if (settings.setupUrl !== undefined || (settings.mintedTokens ?? []).length === 0) return settings;
  throw invalidAt('mintedTokens', 'Only the setup endpoint gets tokens. Add a setupUrl, or leave this out.');
}

async function findOwnSet(tx: Transaction, { grant }: Publication, name: string): Promise<string> {
  const found = await findCredentialSetId(tx, { homeId: homeIdOf(grant), name });
  if (found !== undefined) return found;
  const { name: orgName } = grant.organization;
  throw invalidAt(
    'credentialSet',
    `The organization ${orgName} has no credential set ${name} of its own. Create it first, without naming a repository.`,
  );
}

function columnsOf(settings: Settings): Value[] {
  const { visibility, setupUrl, uninstallUrl, allowedCallbacks, credentialSetId, mintedTokens } = settings;
  return [
    visibility,
    setupUrl ?? null,
    uninstallUrl ?? null,
    JSON.stringify(allowedCallbacks),
    credentialSetId ?? null,
    mintedTokens === undefined ? null : JSON.stringify(mintedTokens),
  ];
}

function isSame(settings: Settings, before: Settings): boolean {
  return JSON.stringify(columnsOf(settings)) === JSON.stringify(columnsOf(before));
}

function alreadyRegistered(component: string): CairnError {
  return fail('ALREADY_EXISTS', {
    message: `The component ${component} exists already. Publish a version of it, or choose another name.`,
  });
}
