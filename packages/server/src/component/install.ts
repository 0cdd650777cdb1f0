// Installs, updates, pauses and tears down components. Each step is idempotent, and none deletes data.
import type { AuditAction } from '@cairn/protocol/audit-action';
import type { ComponentInstall, ComponentReport } from '@cairn/protocol/component';
import { CairnError } from '@cairn/protocol/errors';
import type { Manifest } from '@cairn/protocol/manifest';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Scope } from '@cairn/protocol/scopes';
import { authorize, hasScope } from '../access/access.ts';
import type { AuditEntry } from '../access/audit.sql.ts';
import { auditedIn } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import {
  authorizeInstall,
  type Candidate,
  candidateOf,
  componentRefOf,
  findReasons,
  grantedBy,
  installingScopes,
  managingScopes,
  requireScopes,
  seeComponent,
} from './access.ts';
import { type FoundComponent, fullNameOf } from './component.sql.ts';
import {
  authorizeSight,
  checkTargets,
  installedManifest,
  isOpenTo,
  keptBy,
  orderOf,
  resourcesOf,
  seeInstall,
} from './declaration.ts';
import type { Declaration } from './declare.sql.ts';
import { type FoundInstall, findInstall, listInstalls as findInstalls, notInstalled } from './install.sql.ts';
import { notEligible } from './obstacle.sql.ts';
import { callSetup, callUninstall, findAgain, reportOn, settle, shownInstall } from './setup.ts';

export async function installComponent(
  context: Context,
  { component: ref, callSetup: calls, ...address }: ProcedureArguments<'component.install'>,
): Promise<ComponentReport> {
  const grant = await authorizeInstall(context, address, componentRefOf(ref));
  const component = await seeComponent(context, componentRefOf(ref));
  return await bring(context, grant, { component, action: 'component.install', calls });
}

export async function updateComponent(
  context: Context,
  { component: ref, callSetup: calls, ...address }: ProcedureArguments<'component.update'>,
): Promise<ComponentReport> {
  const grant = await authorizeInstall(context, address, componentRefOf(ref));
  const component = await seeComponent(context, componentRefOf(ref));
  const found = await findOwn(context, grant, component);
  if (found === undefined || found.state === 'uninstalled') throw notInstalled();
  return await bring(context, grant, { component, action: 'component.update', calls });
}

async function findOwn(context: Context, { repoId }: Grant, { componentId }: FoundComponent) {
  return await findInstall(context.store.database, { repoId, componentId });
}

/** An update may give up resources of the previous version, which needs the scopes to end it. */
async function giveUpScopes(context: Context, grant: Grant, component: FoundComponent): Promise<Scope[]> {
  const before = await findOwn(context, grant, component);
  if (before === undefined || before.state === 'uninstalled') return [];
  return managingScopes(installedManifest(grant, before));
}

async function bring(
  context: Context,
  grant: Grant,
  { component, action, calls }: { component: FoundComponent; action: AuditAction; calls: boolean },
): Promise<ComponentReport> {
  const candidate = await candidateOf(context, grant, component);
  const { manifest } = candidate;
  const scopes = [...installingScopes(manifest), ...(await giveUpScopes(context, grant, component))];
  requireScopes(context, grant, [...new Set(scopes)]);
  const declaration = await declarationOf(context, grant, candidate);
  const reasons = grant.repository.archived ? [] : await findReasons(context, grant, candidate);
  if (reasons.length > 0) throw notEligible(reasons);
  await checkTargets(context, manifest);
  const { resources: _, kept: __, ...change } = declaration;
  const { version } = candidate.published;
  const granted = grantedBy(manifest);
  const details = { component: fullNameOf(component), version, granted };
  const entry = auditedIn(context, grant, action, details, component.name);
  await context.store.write.beginInstall({ ...change, version, granted }, entry);
  await declare(context, declaration);
  const install = await findOwn(context, grant, component);
  if (install === undefined) throw notInstalled();
  if (!calls) return await reportOn(context, grant, install);
  await callSetup(context, grant, install);
  return await reportOn(context, grant, await settle(context, grant, install));
}

async function declarationOf(context: Context, grant: Grant, candidate: Candidate): Promise<Declaration> {
  const { component, manifest, installId, published } = candidate;
  const resources = resourcesOf(manifest, component);
  return {
    ...(await orderOf(context, grant, resources.records)),
    installId,
    componentId: component.componentId,
    manifestHash: published.manifestHash,
    resources,
    kept: keptBy(manifest),
    now: Date.now(),
  };
}

async function declare(context: Context, declaration: Declaration): Promise<void> {
  try {
    await context.store.write.declareResources(declaration);
  } catch (error) {
    const isRefusal = error instanceof CairnError && error.status < 500;
    if (!isRefusal) throw error;
    const { resources: _, kept: __, ...change } = declaration;
    await context.store.write.settleInstall({ ...change, state: 'error', problem: error.message });
    throw error;
  }
}

export async function listInstalls(
  context: Context,
  { limit, cursor, ...address }: ProcedureArguments<'component.list'>,
): Promise<Page<ComponentInstall>> {
  const { store } = context;
  const grant = await authorizeSight(context, address);
  const { repoId } = grant;
  const list = openList<[string]>(context, 'component.list', { repoId }, { cursor, limit });
  const [after] = list.after ?? [''];
  const found = await findInstalls(store.database, { repoId, after, limit: limit + 1 });
  const page = list.toPage(found, ({ installId }) => [installId]);
  const seesAll = hasScope(context, grant, 'repo:configure');
  const seen = await Promise.all(page.items.map(({ component }) => seesAll || isOpenTo(context, component)));
  const items = await Promise.all(page.items.filter((_, at) => seen[at]).map((one) => shownLive(context, grant, one)));
  return { ...page, items };
}

export async function getInstall(
  context: Context,
  { component, ...address }: ProcedureArguments<'component.get'>,
): Promise<ComponentInstall> {
  const grant = await authorizeSight(context, address);
  return await shownLive(context, grant, await seeInstall(context, grant, componentRefOf(component)));
}

async function shownLive(context: Context, grant: Grant, install: FoundInstall): Promise<ComponentInstall> {
  const { findings: _, latestVersion: __, ...shown } = await reportOn(context, grant, install);
  return shown;
}

export async function examineInstall(
  context: Context,
  { component, ...address }: ProcedureArguments<'component.doctor'>,
): Promise<ComponentReport> {
  const grant = await authorizeSight(context, address);
  return await reportOn(context, grant, await seeInstall(context, grant, componentRefOf(component)));
}

type InstallAddress = ProcedureArguments<'component.pause'>;

interface Managed {
  readonly grant: Grant;
  readonly install: FoundInstall;
  readonly manifest: Manifest;
}

async function manage(
  context: Context,
  { component, ...address }: InstallAddress,
  scopesFor: (manifest: Manifest) => readonly Scope[],
): Promise<Managed> {
  const grant = await authorize(context, address, 'repo:write');
  const install = await seeInstall(context, grant, componentRefOf(component));
  const manifest = installedManifest(grant, install);
  requireScopes(context, grant, scopesFor(manifest));
  return { grant, install, manifest };
}

async function changeOf(context: Context, { grant, install }: Managed) {
  const { installId, component } = install;
  return { ...(await orderOf(context, grant)), installId, componentId: component.componentId, now: Date.now() };
}

export async function pauseInstall(context: Context, address: InstallAddress): Promise<ComponentInstall> {
  const managed = await manage(context, address, managingScopes);
  const { grant, install, manifest } = managed;
  const deletes = manifest.teardown?.subscriptions?.onDisable === 'delete';
  // Subscriptions that the setup made cannot be recreated on resume, so they are only paused.
  const made = manifest.subscriptions.filter(({ provisioning }) => provisioning === 'install');
  const deleted = deletes ? made.map(({ name }) => name) : [];
  const change = { ...(await changeOf(context, managed)), deleted };
  await context.store.write.pauseInstall(change, auditInstall(context, managed, 'component.pause'));
  return shownInstall(grant, await findAgain(context, install));
}

export async function resumeInstall(context: Context, address: InstallAddress): Promise<ComponentInstall> {
  const managed = await manage(context, address, installingScopes);
  const { grant, install, manifest } = managed;
  if (install.state === 'uninstalled') throw notInstalled();
  await checkTargets(context, manifest);
  const resources = resourcesOf(manifest, install.component);
  const order = await orderOf(context, grant, resources.records);
  const change = { ...(await changeOf(context, managed)), ...order, manifestHash: install.manifestHash };
  const declaration = { ...change, resources, kept: keptBy(manifest) };
  await context.store.write.resumeInstall(declaration, auditInstall(context, managed, 'component.resume'));
  return shownInstall(grant, await settle(context, grant, install));
}

/** Calls the uninstall endpoint after everything has ended, and again only if that call failed. */
export async function tearDownInstall(
  context: Context,
  address: InstallAddress,
): Promise<ProcedureOutput<'component.teardown'>> {
  const managed = await manage(context, address, managingScopes);
  const { grant, install, manifest } = managed;
  if (install.state !== 'uninstalled') {
    const subscriptions = manifest.teardown?.subscriptions?.onUninstall ?? 'pause';
    const change = { ...(await changeOf(context, managed)), subscriptions };
    await context.store.write.tearDownInstall(change, auditInstall(context, managed, 'component.teardown'));
  }
  const ended = await findAgain(context, install);
  const uninstall = await tellOfTeardown(context, grant, ended);
  return { ...shownInstall(grant, await findAgain(context, ended)), uninstall };
}

async function tellOfTeardown(context: Context, grant: Grant, ended: FoundInstall) {
  const { setup: before, repoId, installId } = ended;
  if (before !== undefined && before.status !== 'failed') return before;
  const result = await callUninstall(context, grant, ended);
  await context.store.write.recordUninstall({ repoId, installId, result });
  return result;
}

function auditInstall(context: Context, { grant, install }: Managed, action: AuditAction): AuditEntry {
  const { component, version } = install;
  return auditedIn(context, grant, action, { component: fullNameOf(component), version }, component.name);
}
