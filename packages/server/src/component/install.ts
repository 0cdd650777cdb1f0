// Installing and updating components, and what is installed. Each step of an install can be run again: it converges.
import type { AuditAction } from '@cairn/protocol/audit-action';
import type { ComponentInstall, ComponentReport } from '@cairn/protocol/component';
import { CairnError } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import type { Scope } from '@cairn/protocol/scopes';
import { hasScope } from '../access/access.ts';
import { audited } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { componentRefOf, seeComponent } from './access.ts';
import { type FoundComponent, fullNameOf } from './component.sql.ts';
import { checkTargets, keptBy, orderOf, resourcesOf } from './declaration.ts';
import type { Declaration } from './declare.sql.ts';
import { grantedBy, installingScopes, managingScopes, requireScopes } from './grant.ts';
import { type FoundInstall, findInstall, listInstalls as findInstalls } from './install.sql.ts';
import { authorizeInstall } from './install-access.ts';
import { notInstalled } from './install-change.write.ts';
import { installedManifest } from './manifest-operation.ts';
import { notEligible } from './obstacle.sql.ts';
import { reportOn, settle } from './report.ts';
import { type Candidate, candidateOf, findReasons } from './resolve.ts';
import { callSetup } from './setup.ts';
import { authorizeSight, isOpenTo, seeInstall } from './sight.ts';

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

/** A version may give up what the one before brought: that takes what ending it would. */
async function giveUpScopes(context: Context, grant: Grant, component: FoundComponent): Promise<Scope[]> {
  const before = await findOwn(context, grant, component);
  if (before === undefined || before.state === 'uninstalled') return [];
  return managingScopes(installedManifest(grant, before));
}

interface Bringing {
  readonly component: FoundComponent;
  readonly action: AuditAction;
  /** Whether the setup endpoint is called. */
  readonly calls: boolean;
}

/** To the latest version, whatever there was before. */
async function bring(context: Context, grant: Grant, { component, action, calls }: Bringing): Promise<ComponentReport> {
  const candidate = await candidateOf(context, grant, component);
  const { manifest } = candidate;
  const scopes = [...installingScopes(manifest), ...(await giveUpScopes(context, grant, component))];
  requireScopes(context, grant, [...new Set(scopes)]);
  const declaration = await declarationOf(context, grant, candidate);
  const reasons = grant.repository.archived ? [] : await findReasons(context, grant, candidate);
  if (reasons.length > 0) throw notEligible(reasons);
  await checkTargets(context, manifest);
  await begin(context, { ...candidate, declaration, action });
  await declare(context, declaration);
  const install = await findOwn(context, grant, component);
  if (install === undefined) throw notInstalled();
  if (!calls) return await reportOn(context, grant, install);
  await callSetup(context, grant, install);
  return await reportOn(context, grant, await settle(context, grant, install));
}

/** What the manifest of a candidate asks for, to be written as the caller. */
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

interface Begun extends Candidate {
  readonly declaration: Declaration;
  readonly action: AuditAction;
}

async function begin(context: Context, begun: Begun): Promise<void> {
  const { component, manifest, published, declaration, action } = begun;
  const { resources: _, kept: __, ...change } = declaration;
  const { orgId, repository } = change.grant;
  const granted = grantedBy(manifest);
  const named = fullNameOf(component);
  const entry = audited(context, {
    action,
    target: `${repository.orgName}/${repository.name}/${component.name}`,
    details: { component: named, version: published.version, granted },
    places: [{ orgId }],
  });
  await context.store.write('beginInstall', { ...change, version: published.version, granted }, entry);
}

/** What is refused is written down, for who looks at the install later. */
async function declare(context: Context, declaration: Declaration): Promise<void> {
  try {
    await context.store.write('declareResources', declaration);
  } catch (error) {
    const isRefusal = error instanceof CairnError && error.status < 500;
    if (!isRefusal) throw error;
    const { resources: _, kept: __, ...change } = declaration;
    await context.store.write('settleInstall', { ...change, state: 'error', problem: error.message });
    throw error;
  }
}

export async function listInstalls(
  context: Context,
  { limit, cursor, ...address }: ProcedureArguments<'component.list'>,
): Promise<Page<ComponentInstall>> {
  const { store, keys } = context;
  const grant = await authorizeSight(context, address);
  const { repoId } = grant;
  const list = { procedure: 'component.list', parameters: { repoId } } as const;
  const [after] = cursor === undefined ? [''] : decodeCursor<[string]>(keys.cursor, { ...list, cursor });
  const found = await findInstalls(store.database, { repoId, after, limit: limit + 1 });
  const page = toPage(found, {
    limit,
    cursorAfter: ({ installId }) => encodeCursor(keys.cursor, { ...list, position: [installId] }),
  });
  const seen = await Promise.all(page.items.map((install) => isSeen(context, grant, install)));
  const items = await Promise.all(page.items.filter((_, at) => seen[at]).map((one) => shownLive(context, grant, one)));
  return { ...page, items };
}

async function isSeen(context: Context, grant: Grant, { component }: FoundInstall): Promise<boolean> {
  return hasScope(context, grant, 'repo:configure') || (await isOpenTo(context, component));
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
