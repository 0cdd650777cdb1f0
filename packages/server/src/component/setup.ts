// Signed calls of a component's own endpoints at install and teardown.
import { randomBytes } from 'node:crypto';
import type { ComponentInstall, ComponentReport, SetupResult } from '@cairn/protocol/component';
import { auditedIn, shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { hashToken, mintToken } from '../access/principal.ts';
import { callEndpoint, type Endpoint, openEndpoint } from './call.ts';
import { fullNameOf } from './component.sql.ts';
import type { NewComponentToken, SetupEnd } from './component-token.sql.ts';
import { installedManifest, orderOf } from './declaration.ts';
import { findFindings, soundness, stateWith } from './doctor.ts';
import { type FoundInstall, findInstall } from './install.sql.ts';
import { type MintedToken, mintedTokensOf, tokenAccess } from './manifest.rule.ts';

const SETUP_MS = 5 * 60_000;
/** The token needs no end, because the teardown revokes it. */
const RUNTIME_MS = 100 * 365 * 86_400_000;
const CALL_ID_BYTES = 8;

/** The tokens get the access that the install approved, not the caller's. Failures of the component are results. */
export async function callSetup(context: Context, grant: Grant, install: FoundInstall): Promise<SetupResult> {
  const { component, installId, manifestHash } = install;
  const startedAt = Date.now();
  const end = async (result: SetupResult, hashes: SetupEnd['hashes'] = {}) => {
    const over = { grant, installId, manifestHash, result, hashes, startedAt, now: Date.now() };
    await context.store.write.endSetup(over);
    return result;
  };
  if (component.setupUrl === undefined) return await end({ status: 'skipped' });
  const endpoint: Endpoint = { component, kind: 'setup', url: component.setupUrl };
  const credentials = await openEndpoint(context, endpoint);
  if ('status' in credentials) return await end(credentials);
  const minted = await mintTokens(context, grant, install);
  const tokens = [...minted].map(([kind, token]) => [`${kind}_token`, token]);
  const body = { ...bodyOf(context, grant, install), ...Object.fromEntries(tokens) };
  const call = { credentials, id: callIdOf(install), body, secrets: [...minted.values()] };
  const hashes = Object.fromEntries([...minted].map(([kind, token]) => [kind, hashToken(token)]));
  return await end(await callEndpoint(context, endpoint, call), hashes);
}

export async function callUninstall(context: Context, grant: Grant, install: FoundInstall): Promise<SetupResult> {
  const { component } = install;
  if (component.uninstallUrl === undefined) return { status: 'skipped' };
  const endpoint: Endpoint = { component, kind: 'uninstall', url: component.uninstallUrl };
  const credentials = await openEndpoint(context, endpoint);
  if ('status' in credentials) return credentials;
  const body = bodyOf(context, grant, install);
  return await callEndpoint(context, endpoint, { credentials, id: callIdOf(install), body, secrets: [] });
}

function bodyOf({ publicUrl }: Context, { repository }: Grant, install: FoundInstall): Record<string, unknown> {
  const { installId, component, version, manifestHash } = install;
  return {
    installId,
    installRepo: `${repository.orgName}/${repository.name}`,
    component: fullNameOf(component),
    version,
    manifestHash,
    apiUrl: publicUrl,
  };
}

function callIdOf({ installId }: FoundInstall): string {
  return `${installId}_${randomBytes(CALL_ID_BYTES).toString('hex')}`;
}

type Minted = ReadonlyMap<MintedToken, string>;

async function mintTokens(context: Context, grant: Grant, install: FoundInstall): Promise<Minted> {
  const { component, installId, manifestHash, version } = install;
  const kinds = mintedTokensOf(component, installedManifest(grant, install));
  const minted = new Map(kinds.map((kind) => [kind, mintToken(kind)]));
  const now = Date.now();
  const tokens = [...minted].map(([kind, token]) => tokenOf(install, { kind, hash: hashToken(token), now }));
  const details = { component: fullNameOf(component), version, tokens: [...minted.keys()] };
  const entry = auditedIn(context, grant, 'component.setup', details, component.name);
  await context.store.write.mintInstallTokens({ grant, installId, manifestHash, tokens, now }, entry);
  return minted;
}

function tokenOf(
  install: FoundInstall,
  { kind, hash, now }: { kind: MintedToken; hash: Uint8Array; now: number },
): Omit<NewComponentToken, 'component'> {
  const { repoId, installId, component, granted } = install;
  const token = { kind, hash, repoId, installId, createdAt: now };
  if (kind === 'setup') return { ...token, reads: [], writes: [], expiresAt: now + SETUP_MS };
  return { ...token, ...tokenAccess(granted, component.name), expiresAt: now + RUNTIME_MS };
}

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
    ...(setup !== undefined && state !== 'uninstalled' && { setup }),
    ...(message !== undefined && { message }),
    ...(cli !== undefined && { cli }),
    installedBy: shownAuthor(grant, { createdBy: install.installedBy }).createdBy,
    installedAt: install.installedAt,
    updatedAt: install.updatedAt,
  };
}

export async function findAgain(context: Context, { repoId, component }: FoundInstall): Promise<FoundInstall> {
  const found = await findInstall(context.store.database, { repoId, componentId: component.componentId });
  if (found === undefined) throw new Error('an install that was just written cannot be found');
  return found;
}

export async function settle(context: Context, grant: Grant, begun: FoundInstall): Promise<FoundInstall> {
  const install = await findAgain(context, begun);
  const { installId, manifestHash, component } = install;
  const state = soundness(await findFindings(context.store.database, grant, install));
  const order = await orderOf(context, grant);
  const outcome = { ...order, installId, componentId: component.componentId, manifestHash, state, now: Date.now() };
  await context.store.write.settleInstall(outcome);
  return await findAgain(context, install);
}
