// What changes an install: the row that is the authority, and the record ComponentInstall/<id> that tells of it, always
// together. Each holds the repository's sequence, as commits do, so that one comes after the other.
import type { Granted, SetupResult } from '@cairn/protocol/component';
import type { InstallState } from '@cairn/protocol/component-state';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { lockHomes } from '../action/watch.write.ts';
import { commitOwn } from '../commit/commit.write.ts';
import type { WriteOrder } from '../commit/drafting.sql.ts';
import type { WriterMemory } from '../commit/writer-memory.rule.ts';
import type { Transaction } from '../engine/database.ts';
import type { Operation } from '../model/operation.ts';
import { readRepositoryRow } from '../repository/repository.sql.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import { revokeInstallTokens, setTokenAccess, setTokensPaused } from './component-token.sql.ts';
import { type Declaration, type Declared, declareResources, lockComponent } from './declare.sql.ts';
import { tokenAccess } from './runtime-access.rule.ts';
import { releaseShapes } from './shape.sql.ts';
import { endSubscriptions } from './subscription.sql.ts';

export interface InstallChange extends WriteOrder {
  readonly installId: string;
  readonly componentId: number;
  readonly now: number;
}

interface HeldInstall {
  readonly state: InstallState;
  readonly version: string;
  readonly manifest_hash: string;
}

/** The row, held until the transaction ends. */
async function lockInstall(tx: Transaction, { grant, installId }: InstallChange): Promise<HeldInstall | undefined> {
  await lockHomes(tx, [grant.repoId]);
  const [row] = await tx.query<HeldInstall>(
    'select state, version, manifest_hash from component_install where repo_id = $1 and install_id = $2',
    [grant.repoId, installId],
  );
  return row;
}

export interface InstallBeginning extends InstallChange {
  readonly version: string;
  readonly manifestHash: string;
  readonly granted: Granted;
}

/** What was torn down is begun as if it had never been. */
const BEGIN = `insert into component_install (repo_id, install_id, component_id, state, version, manifest_hash, granted,
    installed_by, installed_at, updated_at)
  values ($1, $2, $3, 'installing', $4, $5, $6, $7, $8, $8)
  on conflict (repo_id, install_id) do update set state = $9, version = excluded.version,
    manifest_hash = excluded.manifest_hash, granted = excluded.granted, message = null, updated_at = excluded.updated_at`;

const BEGIN_ANEW = `update component_install set installed_by = $3, installed_at = $4, setup_status = null,
    setup_http_status = null, setup_message = null, setup_manifest_hash = null
  where repo_id = $1 and install_id = $2`;

/** One that has this very manifest goes on as what it is: nothing of it may be missing. */
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

export interface InstallOutcome extends InstallChange {
  readonly manifestHash: string;
  readonly state: 'ready' | 'degraded' | 'error';
  /** What is wrong. */
  readonly problem?: string | undefined;
}

/** How an install has come out, unless it was paused, torn down or begun with another version meanwhile. */
export async function settleInstall(tx: Transaction, outcome: InstallOutcome, memory: WriterMemory): Promise<Declared> {
  const { grant, installId, manifestHash, state, problem = null, now } = outcome;
  await lockHomes(tx, [grant.repoId]);
  const settled = await tx.query(
    `update component_install set state = $4, message = $5, updated_at = $6
     where repo_id = $1 and install_id = $2 and manifest_hash = $3 and state in ('installing', 'ready', 'degraded')
       and state <> $4 returning state`,
    [grant.repoId, installId, manifestHash, state, problem, now],
  );
  return settled.length === 0 ? NOTHING : await tellOfInstall(tx, outcome, memory);
}

export interface InstallPause extends InstallChange {
  /** Subscriptions that are not to rest but to go, until it is resumed. */
  readonly deleted: readonly string[];
}

export async function pauseInstall(tx: Transaction, pause: InstallPause, memory: WriterMemory): Promise<Declared> {
  const { grant, installId, componentId, deleted, now } = pause;
  const before = await lockInstall(tx, pause);
  if (before === undefined || before.state === 'uninstalled') throw notInstalled();
  if (before.state === 'paused') return NOTHING;
  await setTokensPaused(tx, { repoId: grant.repoId, installId, paused: true });
  const { fullName: component } = await lockComponent(tx, componentId);
  const ending = { deletes: (name: string) => deleted.includes(name), reason: 'Its component is paused.' };
  await endSubscriptions(tx, { grant, component, now }, ending);
  await setState(tx, pause, 'paused');
  return await tellOfInstall(tx, pause, memory);
}

/** What the pause took is made anew. Whether all is well is to be seen: it is `installing` until it is settled. */
export async function resumeInstall(
  tx: Transaction,
  declaration: Declaration,
  memory: WriterMemory,
): Promise<Declared> {
  const { grant, installId } = declaration;
  const before = await lockInstall(tx, declaration);
  if (before === undefined || before.state === 'uninstalled') throw notInstalled();
  if (before.state !== 'paused') return NOTHING;
  await requireWritable(tx, grant);
  await setTokensPaused(tx, { repoId: grant.repoId, installId, paused: false });
  await setState(tx, declaration, 'installing');
  const declared = await declareResources(tx, declaration, memory);
  const told = await tellOfInstall(tx, declaration, memory);
  return { repoSeq: told.repoSeq ?? declared.repoSeq };
}

export interface Teardown extends InstallChange {
  readonly subscriptions: 'pause' | 'delete';
}

/** Ends everything but the data. Whether its endpoint was told is not known yet. */
export async function tearDownInstall(tx: Transaction, teardown: Teardown, memory: WriterMemory): Promise<Declared> {
  const { grant, installId, componentId, subscriptions, now } = teardown;
  const { repoId } = grant;
  const before = await lockInstall(tx, teardown);
  if (before === undefined) throw notInstalled();
  if (before.state === 'uninstalled') return NOTHING;
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

/** How the uninstall endpoint took it: from a teardown on, this is what the install keeps. */
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

const NOTHING: Declared = { repoSeq: undefined };

/** The record says what the row says. What is archived can be ended, and its records stay as they are. */
async function tellOfInstall(tx: Transaction, change: InstallChange, memory: WriterMemory): Promise<Declared> {
  const row = await lockInstall(tx, change);
  if (row === undefined || !(await takesRecords(tx, change))) return NOTHING;
  const { name: componentName, fullName, visibility } = await lockComponent(tx, change.componentId);
  const { state, version, manifest_hash: manifestHash } = row;
  // Who reads the repository may be a stranger to a component that is private.
  const data = { state, version, manifestHash, ...(visibility === 'public' && { component: fullName }) };
  const install = { installId: change.installId, componentName };
  const order: WriteOrder = { ...change, component: fullName, install, atomic: true };
  const { repoSeq } = await commitOwn(tx, { ...order, operations: toRecord(change.installId, data) }, memory);
  return { repoSeq };
}

async function takesRecords(tx: Transaction, { grant }: InstallChange): Promise<boolean> {
  const row = await readRepositoryRow(tx, grant.repoId);
  return row?.archived_at === null && row.org_archived_at === null && row.importing === null;
}

/** Added where it is not there, and revised where it says something else. */
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
