// The registry of components: published versions, and the registration with endpoints and visibility.

import { compareVersions } from '@cairn/model/version-order';
import { fail } from '@cairn/protocol/errors';
import { organizationRole, Parameters } from '../access/role.sql.ts';
import type { BulkStatement, Database, Reader, Value } from '../engine/database.ts';
import { type RowOf, withoutNulls } from '../engine/row.ts';
import { listByOrganization, type PositionCondition } from '../repository/organization.sql.ts';
import type { MintedToken } from './manifest.rule.ts';

export interface ComponentRef {
  readonly orgName: string;
  readonly name: string;
}

export interface FoundComponent extends ComponentRef {
  readonly componentId: number;
  readonly orgId: number;
  /** The id in the manifest, such as com.acme.Thing. */
  readonly manifestId: string;
  readonly description?: string | undefined;
  readonly visibility: 'public' | 'private';
  readonly setupUrl?: string | undefined;
  readonly uninstallUrl?: string | undefined;
  readonly allowedCallbacks: readonly string[];
  readonly credentialSetId?: string | undefined;
  readonly credentialSet?: string | undefined;
  /** `undefined` means the tokens that the manifest needs. */
  readonly mintedTokens?: readonly MintedToken[] | undefined;
  readonly latestVersion: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly unregisteredAt?: number | undefined;
}

export interface FoundVersion {
  readonly version: string;
  readonly manifestText: string;
  readonly manifestHash: string;
  readonly publishedBy: string;
  readonly publishedAt: number;
}

export interface ComponentRow extends RowOf<Omit<FoundComponent, 'allowedCallbacks' | 'mintedTokens'>> {
  readonly allowedCallbacks: string;
  readonly mintedTokens: string | null;
}

const CREDENTIAL_SET = `(select s.name from credential_set s
    where s.repo_id = -component.organization_id and s.credential_set_id = component.credential_set_id)`;

export const COMPONENT_COLUMNS = `component.id as "componentId", component.organization_id as "orgId",
  organization.name as "orgName", component.name, component.manifest_id as "manifestId", component.description,
  component.visibility, component.setup_url as "setupUrl", component.uninstall_url as "uninstallUrl",
  component.allowed_callbacks as "allowedCallbacks", component.credential_set_id as "credentialSetId",
  ${CREDENTIAL_SET} as "credentialSet", component.minted_tokens as "mintedTokens",
  component.latest_version as "latestVersion", component.created_by as "createdBy", component.created_at as "createdAt",
  component.updated_at as "updatedAt", component.unregistered_at as "unregisteredAt"`;
export const FROM_COMPONENT = 'from component join organization on organization.id = component.organization_id';

const setNames = (home: string) => `select k.ord::int as ord, s.name
  from unnest($1::bigint[], $2::text[]) with ordinality as k (home_id, id, ord)
  join credential_set s on s.repo_id = ${home} and s.credential_set_id = k.id collate "C"`;

const FIND_SET_NAMES: BulkStatement = {
  each: 'select name from credential_set where repo_id = $1 and credential_set_id = $2',
  set: setNames('k.home_id'),
  shard: { column: 0, set: setNames('$3') },
};

/** Distributed credential sets are on another machine than the registry, so a second query reads their names. */
export async function queryComponents<Result extends ComponentRow>(
  reader: Reader,
  sql: string,
  params: readonly Value[],
): Promise<Result[]> {
  if (!(await reader.isDistributed?.())) return await reader.query<Result>(sql, params);
  const rows = await reader.query<Result>(sql.replace(CREDENTIAL_SET, 'cast(null as text)'), params);
  const using = rows.filter(({ credentialSetId }) => credentialSetId !== null);
  const found = await reader.bulk<{ name: string }>(FIND_SET_NAMES, {
    common: [],
    rows: using.map(({ orgId, credentialSetId }) => [-orgId, credentialSetId]),
  });
  const names = new Map(found.map(({ ord, name }) => [using[ord], name]));
  return rows.map((row) => ({ ...row, credentialSet: names.get(row) ?? null }));
}

export async function findComponent(
  reader: Reader,
  { orgName, name }: ComponentRef,
): Promise<FoundComponent | undefined> {
  const sql = `select ${COMPONENT_COLUMNS} ${FROM_COMPONENT} where organization.name = $1 and component.name = $2`;
  const [row] = await queryComponents<ComponentRow>(reader, sql, [orgName, name]);
  return row && toComponent(row);
}

export async function findVersion(
  reader: Reader,
  { componentId, version }: { componentId: number; version: string },
): Promise<FoundVersion | undefined> {
  const sql = `select version, manifest as "manifestText", manifest_hash as "manifestHash", published_by as "publishedBy",
      published_at as "publishedAt" from component_version where component_id = $1 and version = $2`;
  const [found] = await reader.query<FoundVersion>(sql, [componentId, version]);
  return found;
}

type VersionSummary = Omit<FoundVersion, 'manifestText'>;

/** Newest first. Publication order is version order, because each version must be greater than the last. */
export async function listVersions(
  reader: Reader,
  { componentId, limit }: { componentId: number; limit: number },
): Promise<VersionSummary[]> {
  const sql = `select version, manifest_hash as "manifestHash", published_by as "publishedBy",
      published_at as "publishedAt"
    from component_version where component_id = $1 order by published_at desc limit $2`;
  const versions = await reader.query<VersionSummary>(sql, [componentId, limit]);
  return versions.sort((one, other) => compareVersions(other.version, one.version));
}

interface RegistryFilter {
  readonly accountId: number;
  readonly orgName: string | undefined;
  readonly words: readonly string[];
  readonly after: ComponentRef;
  readonly limit: number;
}

interface ListedComponent extends FoundComponent {
  readonly manifestHash: string;
  readonly isMember: boolean;
}

export async function listComponents(database: Database, filter: RegistryFilter): Promise<ListedComponent[]> {
  const list = (place: PositionCondition, limit: number) => listWhere(database, { ...filter, limit }, place);
  return await listByOrganization(filter, 'component.name', list);
}

const TEXT = `lower(organization.name || '/' || component.name || ' ' || component.manifest_id || ' ' || coalesce(component.description, ''))`;

const literally = (word: string) => word.replaceAll(/[\\%_]/g, '\\$&');

async function listWhere(
  database: Database,
  { accountId, words, limit }: RegistryFilter,
  place: PositionCondition,
): Promise<ListedComponent[]> {
  const parameters = new Parameters();
  const role = organizationRole(parameters.add(accountId));
  const sql = `select ${COMPONENT_COLUMNS}, component_version.manifest_hash as "manifestHash", ${role} as role ${FROM_COMPONENT}
    join component_version on component_version.component_id = component.id
      and component_version.version = component.latest_version
    where ${place(parameters)} and component.unregistered_at is null
      and (component.visibility = 'public' or ${role} is not null)
      ${words.map((word) => `and ${TEXT} like lower(${parameters.add(`%${literally(word)}%`)}) escape '\\'`).join(' ')}
    order by organization.name, component.name limit ${parameters.add(limit)}`;
  type Listed = ComponentRow & { readonly manifestHash: string; readonly role: string | null };
  const rows = await queryComponents<Listed>(database.beside, sql, parameters.values);
  return rows.map(({ manifestHash, role: held, ...row }) => ({
    ...toComponent(row),
    manifestHash,
    isMember: held !== null,
  }));
}

export function toComponent({ allowedCallbacks, mintedTokens, ...row }: ComponentRow): FoundComponent {
  return {
    ...withoutNulls(row),
    allowedCallbacks: JSON.parse(allowedCallbacks),
    ...(mintedTokens !== null && { mintedTokens: JSON.parse(mintedTokens) }),
  };
}

export function fullNameOf({ orgName, name }: ComponentRef): string {
  return `${orgName}/${name}`;
}

export function componentNotFound() {
  return fail('NOT_FOUND', {
    message: 'The component does not exist, or you may not see it. List the components of the registry.',
  });
}
