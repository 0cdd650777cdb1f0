// The installs of a repository: the `component_install` row is the authority, and the record ComponentInstall/<id>
// reports it. Changes hold the repository's sequence, like commits.

import type { Operation } from '@cairn/model/operation';
import type { Granted, SetupResult } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { InstallState } from '@cairn/protocol/vocabulary';
import { lockHomes } from '../action/firing.sql.ts';
import { commitOwn } from '../commit/commit.write.ts';
import type { WriteOrder } from '../commit/drafting.sql.ts';
import type { WriterMemory } from '../commit/record-set.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { withoutNulls } from '../engine/row.ts';
import { readRepositoryRow } from '../repository/repository.sql.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import {
  COMPONENT_COLUMNS,
  type ComponentRow,
  type FoundComponent,
  queryComponents,
  toComponent,
} from './component.sql.ts';
import { revokeInstallTokens, setTokenAccess, setTokensPaused } from './component-token.sql.ts';
import { type Declaration, type Declared, declareResources, lockComponent } from './declare.sql.ts';
import { tokenAccess } from './manifest.rule.ts';
import { endSubscriptions, releaseShapes } from './resource.sql.ts';

export interface FoundInstall {
  readonly repoId: number;
  readonly installId: string;
  readonly component: FoundComponent;
  readonly state: InstallState;
  readonly version: string;
  readonly manifestHash: string;
  readonly manifestText: string;
  readonly granted: Granted;
  readonly message: string | undefined;
  readonly setup: SetupResult | undefined;
  readonly setupManifestHash: string | undefined;
  readonly installedBy: string;
  readonly installedAt: number;
  readonly updatedAt: number;
}

type OwnColumns = 'repoId' | 'installId' | 'state' | 'version' | 'manifestHash' | 'manifestText' | 'installedBy';

interface InstallRow extends ComponentRow, Pick<FoundInstall, OwnColumns | 'installedAt'> {
  readonly granted: string;
  readonly message: string | null;
  readonly setupStatus: SetupResult['status'] | null;
  readonly setupHttpStatus: number | null;
  readonly setupMessage: string | null;
  readonly setupManifestHash: string | null;
  readonly changedAt: number;
}

const SELECT_INSTALL = `select i.repo_id as "repoId", i.install_id as "installId", i.state, i.version,
    i.manifest_hash as "manifestHash", v.manifest as "manifestText", i.granted, i.message,
    i.setup_status as "setupStatus", i.setup_http_status as "setupHttpStatus", i.setup_message as "setupMessage",
    i.setup_manifest_hash as "setupManifestHash", i.installed_by as "installedBy", i.installed_at as "installedAt",
    i.updated_at as "changedAt", ${COMPONENT_COLUMNS}
  from component_install i join component on component.id = i.component_id
  join organization on organization.id = component.organization_id
  join component_version v on v.component_id = i.component_id and v.version = i.version`;

export async function findInstall(
  reader: Reader,
  key: { repoId: number } & ({ componentId: number } | { installId: string }),
): Promise<FoundInstall | undefined> {
  const where = `i.repo_id = $1 and i.${'installId' in key ? 'install_id' : 'component_id'} = $2`;
  const id = 'installId' in key ? key.installId : key.componentId;
  const [row] = await queryComponents<InstallRow>(reader, `${SELECT_INSTALL} where ${where}`, [key.repoId, id]);
  return row && toInstall(row);
}

export async function listInstalls(
  reader: Reader,
  { repoId, after, limit }: { repoId: number; after: string; limit: number },
): Promise<FoundInstall[]> {
  const sql = `${SELECT_INSTALL} where i.repo_id = $1 and i.state <> 'uninstalled' and i.install_id > $2
    order by i.install_id limit $3`;
  return (await queryComponents<InstallRow>(reader, sql, [repoId, after, limit])).map(toInstall);
}

function toInstall(row: InstallRow): FoundInstall {
  const { repoId, installId, state, version, manifestHash, manifestText, installedBy, installedAt, ...rest } = row;
  const { granted, message, setupStatus: status, setupManifestHash, changedAt, ...others } = rest;
  const { setupHttpStatus: httpStatus, setupMessage, ...component } = others;
  return {
    ...{ repoId, installId, state, version, manifestHash, manifestText, installedBy, installedAt },
    component: toComponent(component),
    granted: JSON.parse(granted),
    message: message ?? undefined,
    setup: status === null ? undefined : { status, ...withoutNulls({ httpStatus, message: setupMessage }) },
    setupManifestHash: setupManifestHash ?? undefined,
    updatedAt: changedAt,
  };
}

interface InstallChange extends WriteOrder {
  readonly installId: string;
  readonly componentId: number;
  readonly now: number;
}

interface HeldInstall {
  readonly state: InstallState;
  readonly version: string;
  readonly manifest_hash: string;
}

async function lockInstall(tx: Transaction, { grant, installId }: InstallChange): Promise<HeldInstall | undefined> {
  await lockHomes(tx, [grant.repoId]);
  const [row] = await tx.query<HeldInstall>(
    'select state, version, manifest_hash from component_install where repo_id = $1 and install_id = $2',
    [grant.repoId, installId],
  );
  return row;
}

interface InstallBeginning extends InstallChange {
  readonly version: string;
  readonly manifestHash: string;
  readonly granted: Granted;
}

const BEGIN = `insert into component_install (repo_id, install_id, component_id, state, version, manifest_hash, granted,
    installed_by, installed_at, updated_at)
  values ($1, $2, $3, 'installing', $4, $5, $6, $7, $8, $8)
  on conflict (repo_id, install_id) do update set state = $9, version = excluded.version,
    manifest_hash = excluded.manifest_hash, granted = excluded.granted, message = null, updated_at = excluded.updated_at`;

const BEGIN_ANEW = `update component_install set installed_by = $3, installed_at = $4, setup_status = null,
    setup_http_status = null, setup_message = null, setup_manifest_hash = null
  where repo_id = $1 and install_id = $2`;

/** An install with the same manifest keeps its state, because nothing may be missing. */
export async function beginInstall(
  tx: Transaction,
  beginning: InstallBeginning,
  memory: WriterMemory,
): Promise<Declared> {
  const { grant, installId, componentId, version, manifestHash, granted, createdBy, now } = beginning;
  const before = await lockInstall(tx, beginning);
  await requireWritable(tx, grant);
  if (before?.state === 'paused') throw installPaused();
  const stands = before?.manifest_hash === manifestHash && (before.state === 'ready' || before.state === 'degraded');
  const state = stands ? before.state : 'installing';
  const key = [grant.repoId, installId];
  const what = [version, manifestHash, JSON.stringify(granted)];
  await tx.query(BEGIN, [...key, componentId, ...what, createdBy, now, state]);
  if (before?.state === 'uninstalled') await tx.query(BEGIN_ANEW, [...key, createdBy, now]);
  const { name: componentName } = await lockComponent(tx, componentId);
  await setTokenAccess(tx, { repoId: grant.repoId, installId, ...tokenAccess(granted, componentName) });
  return await tellOfInstall(tx, beginning, memory);
}

export function installPaused(): CairnError {
  return fail('CONFLICT', {
    message: 'The component is paused. Resume it first, with component.resume.',
    details: { reason: 'paused' },
  });
}

export function notInstalled(): CairnError {
  return fail('CONFLICT', {
    message: 'The component is not installed in this repository. Install it first.',
    details: { reason: 'not_installed' },
  });
}

interface InstallOutcome extends InstallChange {
  readonly manifestHash: string;
  readonly state: 'ready' | 'degraded' | 'error';
  readonly problem?: string | undefined;
}

/** Records the result of an install, unless it was paused, torn down or updated in the meantime. */
export async function settleInstall(tx: Transaction, outcome: InstallOutcome, memory: WriterMemory): Promise<Declared> {
  const { grant, installId, manifestHash, state, problem = null, now } = outcome;
  await lockHomes(tx, [grant.repoId]);
  const settled = await tx.query(
    `update component_install set state = $4, message = $5, updated_at = $6
     where repo_id = $1 and install_id = $2 and manifest_hash = $3 and state in ('installing', 'ready', 'degraded')
       and state <> $4 returning state`,
    [grant.repoId, installId, manifestHash, state, problem, now],
  );
  return settled.length === 0 ? NOTHING_DECLARED : await tellOfInstall(tx, outcome, memory);
}

interface InstallPause extends InstallChange {
  /** Deleted until the resume; all others are paused. */
  readonly deleted: readonly string[];
}

export async function pauseInstall(tx: Transaction, pause: InstallPause, memory: WriterMemory): Promise<Declared> {
  const { grant, installId, componentId, deleted, now } = pause;
  const before = await lockInstall(tx, pause);
  if (before === undefined || before.state === 'uninstalled') throw notInstalled();
  if (before.state === 'paused') return NOTHING_DECLARED;
  await setTokensPaused(tx, { repoId: grant.repoId, installId, paused: true });
  const { fullName: component } = await lockComponent(tx, componentId);
  const ending = { deletes: (name: string) => deleted.includes(name), reason: 'Its component is paused.' };
  await endSubscriptions(tx, { grant, component, now }, ending);
  await setState(tx, pause, 'paused');
  return await tellOfInstall(tx, pause, memory);
}

/** Restores what the pause deleted. The state is `installing` until `settleInstall` has checked everything. */
export async function resumeInstall(
  tx: Transaction,
  declaration: Declaration,
  memory: WriterMemory,
): Promise<Declared> {
  const { grant, installId } = declaration;
  const before = await lockInstall(tx, declaration);
  if (before === undefined || before.state === 'uninstalled') throw notInstalled();
  if (before.state !== 'paused') return NOTHING_DECLARED;
  await requireWritable(tx, grant);
  await setTokensPaused(tx, { repoId: grant.repoId, installId, paused: false });
  await setState(tx, declaration, 'installing');
  const declared = await declareResources(tx, declaration, memory);
  const told = await tellOfInstall(tx, declaration, memory);
  return { repoSeq: told.repoSeq ?? declared.repoSeq };
}

interface Teardown extends InstallChange {
  readonly subscriptions: 'pause' | 'delete';
}

export async function tearDownInstall(tx: Transaction, teardown: Teardown, memory: WriterMemory): Promise<Declared> {
  const { grant, installId, componentId, subscriptions, now } = teardown;
  const { repoId } = grant;
  const before = await lockInstall(tx, teardown);
  if (before === undefined) throw notInstalled();
  if (before.state === 'uninstalled') return NOTHING_DECLARED;
  await revokeInstallTokens(tx, { repoId, installId, now });
  const { fullName: component } = await lockComponent(tx, componentId);
  const ending = { deletes: () => subscriptions === 'delete', reason: 'Its component was torn down.' };
  await endSubscriptions(tx, { grant, component, now }, ending);
  await releaseShapes(tx, { repoId, installId, kept: [], now });
  await setState(tx, teardown, 'uninstalled');
  await setResult(tx, { repoId, installId, result: undefined });
  return await tellOfInstall(tx, teardown, memory);
}

interface EndpointResult {
  readonly repoId: number;
  readonly installId: string;
  readonly result: SetupResult | undefined;
}

export async function recordUninstall(tx: Transaction, told: EndpointResult): Promise<void> {
  await lockHomes(tx, [told.repoId]);
  await setResult(tx, told);
}

async function setResult(tx: Transaction, { repoId, installId, result }: EndpointResult): Promise<void> {
  await tx.query(
    `update component_install set setup_status = $3, setup_http_status = $4, setup_message = $5, setup_manifest_hash = null
     where repo_id = $1 and install_id = $2 and state = 'uninstalled'`,
    [repoId, installId, result?.status ?? null, result?.httpStatus ?? null, result?.message ?? null],
  );
}

async function setState(
  tx: Transaction,
  { grant, installId, now }: Pick<InstallChange, 'grant' | 'installId' | 'now'>,
  state: InstallState,
): Promise<void> {
  await tx.query(
    'update component_install set state = $3, message = null, updated_at = $4 where repo_id = $1 and install_id = $2',
    [grant.repoId, installId, state, now],
  );
}

const NOTHING_DECLARED: Declared = { repoSeq: undefined };

/** An archived repository takes no records, but its installs can end. */
async function tellOfInstall(tx: Transaction, change: InstallChange, memory: WriterMemory): Promise<Declared> {
  const row = await lockInstall(tx, change);
  if (row === undefined || !(await takesRecords(tx, change))) return NOTHING_DECLARED;
  const { name: componentName, fullName, visibility } = await lockComponent(tx, change.componentId);
  const { state, version, manifest_hash: manifestHash } = row;
  // Readers of the repository may not be allowed to see a private component, so the record omits its name.
  const data = { state, version, manifestHash, ...(visibility === 'public' && { component: fullName }) };
  const install = { installId: change.installId, componentName };
  const order: WriteOrder = { ...change, component: fullName, install, atomic: true };
  const { repoSeq } = await commitOwn(tx, order, toRecord(change.installId, data), memory);
  return { repoSeq };
}

async function takesRecords(tx: Transaction, { grant }: InstallChange): Promise<boolean> {
  const row = await readRepositoryRow(tx, grant.repoId);
  return row?.archived_at === null && row.org_archived_at === null && row.importing === null;
}

function toRecord(installId: string, data: object): Operation[] {
  const name = { shapeName: 'ComponentInstall', local: installId };
  const submittedName = `ComponentInstall/${installId}`;
  const added = { name: { ...name, token: undefined }, data, about: undefined, skipExisting: true };
  const revised = { subject: { name }, expectedVersion: undefined, content: { data } };
  return [
    { operation: 'add', kind: 'thing', submittedName, ...added },
    { operation: 'revise', kind: 'thing', submittedName, ...revised },
  ];
}
