// An install as it is shown, and as it has come out.

import type { ComponentInstall, ComponentReport } from '@cairn/protocol/component';
import { shownAuthor } from '../access/attribution.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { fullNameOf } from './component.sql.ts';
import { orderOf } from './declaration.ts';
import { findFindings, soundness, stateWith } from './doctor.ts';
import { type FoundInstall, findInstall } from './install.sql.ts';
import { installedManifest } from './manifest-operation.ts';

/** Live: whether it is `ready` or `degraded` is what is found now. */
export async function reportOn(context: Context, grant: Grant, install: FoundInstall): Promise<ComponentReport> {
  const { latestVersion, unregisteredAt } = install.component;
  const findings = await findFindings(context.store.database, grant, install);
  return {
    ...shownInstall(grant, { ...install, state: stateWith(install.state, findings) }),
    ...(unregisteredAt === undefined && { latestVersion }),
    findings,
  };
}

export function shownInstall(grant: Grant, install: FoundInstall): ComponentInstall {
  const { component, installId, state, version, manifestHash, granted, setup, message } = install;
  const { cli } = installedManifest(grant, install);
  return {
    orgName: grant.repository.orgName,
    repoName: grant.repository.name,
    component: fullNameOf(component),
    ...{ installId, state, version, manifestHash, granted },
    // Of what was torn down, this is how its uninstall endpoint took it.
    ...(setup !== undefined && state !== 'uninstalled' && { setup }),
    ...(message !== undefined && { message }),
    ...(cli !== undefined && { cli }),
    installedBy: shownAuthor(grant, { createdBy: install.installedBy }).createdBy,
    installedAt: install.installedAt,
    updatedAt: install.updatedAt,
  };
}

/** As it is by now: it was there a moment ago, and installs are never taken away. */
export async function findAgain(context: Context, { repoId, component }: FoundInstall): Promise<FoundInstall> {
  const found = await findInstall(context.store.database, { repoId, componentId: component.componentId });
  if (found === undefined) throw new Error('an install that was just written cannot be found');
  return found;
}

/** Looks at how an install has come out, and writes it down. */
export async function settle(context: Context, grant: Grant, begun: FoundInstall): Promise<FoundInstall> {
  const install = await findAgain(context, begun);
  const { installId, manifestHash, component } = install;
  const state = soundness(await findFindings(context.store.database, grant, install));
  const order = await orderOf(context, grant);
  const outcome = { ...order, installId, componentId: component.componentId, manifestHash, state, now: Date.now() };
  await context.store.write('settleInstall', outcome);
  return await findAgain(context, install);
}
