// Pausing, resuming and tearing down what is installed. Nothing of it deletes data.

import type { AuditAction } from '@cairn/protocol/audit-action';
import type { ComponentInstall } from '@cairn/protocol/component';
import type { Manifest } from '@cairn/protocol/manifest';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Scope } from '@cairn/protocol/scopes';
import { authorize } from '../access/access.ts';
import type { AuditEntry } from '../access/audit.sql.ts';
import { audited } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { componentRefOf } from './access.ts';
import { fullNameOf } from './component.sql.ts';
import { checkTargets, keptBy, orderOf, resourcesOf } from './declaration.ts';
import { installingScopes, managingScopes, requireScopes } from './grant.ts';
import type { FoundInstall } from './install.sql.ts';
import { notInstalled } from './install-change.write.ts';
import { installedManifest } from './manifest-operation.ts';
import { findAgain, settle, shownInstall } from './report.ts';
import { callUninstall } from './setup.ts';
import { seeInstall } from './sight.ts';

type Address = ProcedureArguments<'component.pause'>;

interface Managed {
  readonly grant: Grant;
  readonly install: FoundInstall;
  readonly manifest: Manifest;
}

/** What it takes depends on what is installed. */
async function manage(
  context: Context,
  { component, ...address }: Address,
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
  return {
    ...(await orderOf(context, grant)),
    installId,
    componentId: component.componentId,
    now: Date.now(),
  };
}

export async function pauseInstall(context: Context, address: Address): Promise<ComponentInstall> {
  const managed = await manage(context, address, managingScopes);
  const { grant, install, manifest } = managed;
  const deletes = manifest.teardown?.subscriptions?.onDisable === 'delete';
  // Those that its setup made could not be made anew: they rest.
  const made = manifest.subscriptions.filter(({ provisioning }) => provisioning === 'install');
  const deleted = deletes ? made.map(({ name }) => name) : [];
  const change = { ...(await changeOf(context, managed)), deleted };
  await context.store.write('pauseInstall', change, told(context, managed, 'component.pause'));
  return shownInstall(grant, await findAgain(context, install));
}

export async function resumeInstall(context: Context, address: Address): Promise<ComponentInstall> {
  const managed = await manage(context, address, installingScopes);
  const { grant, install, manifest } = managed;
  if (install.state === 'uninstalled') throw notInstalled();
  await checkTargets(context, manifest);
  const resources = resourcesOf(manifest, install.component);
  const order = await orderOf(context, grant, resources.records);
  const change = { ...(await changeOf(context, managed)), ...order, manifestHash: install.manifestHash };
  const declaration = { ...change, resources, kept: keptBy(manifest) };
  await context.store.write('resumeInstall', declaration, told(context, managed, 'component.resume'));
  return shownInstall(grant, await settle(context, grant, install));
}

/** Its endpoint is told when all has ended, and once, unless it did not take it. */
export async function tearDownInstall(
  context: Context,
  address: Address,
): Promise<ProcedureOutput<'component.teardown'>> {
  const managed = await manage(context, address, managingScopes);
  const { grant, install, manifest } = managed;
  if (install.state !== 'uninstalled') {
    const subscriptions = manifest.teardown?.subscriptions?.onUninstall ?? 'pause';
    const change = { ...(await changeOf(context, managed)), subscriptions };
    await context.store.write('tearDownInstall', change, told(context, managed, 'component.teardown'));
  }
  const ended = await findAgain(context, install);
  const uninstall = await tellOfTeardown(context, grant, ended);
  return { ...shownInstall(grant, await findAgain(context, ended)), uninstall };
}

async function tellOfTeardown(context: Context, grant: Grant, ended: FoundInstall) {
  const { setup: before, repoId, installId } = ended;
  if (before !== undefined && before.status !== 'failed') return before;
  const result = await callUninstall(context, grant, ended);
  await context.store.write('recordUninstall', { repoId, installId, result });
  return result;
}

function told(context: Context, { grant, install }: Managed, action: AuditAction): AuditEntry {
  const { component, version } = install;
  const { orgId, repository } = grant;
  return audited(context, {
    action,
    target: `${repository.orgName}/${repository.name}/${component.name}`,
    details: { component: fullNameOf(component), version },
    places: [{ orgId }],
  });
}
