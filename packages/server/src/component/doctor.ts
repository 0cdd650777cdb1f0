// Finds what is missing or wrong with an installed component, and what to do about it.

import { parseRecordName } from '@cairn/model/wref';
import type { Finding } from '@cairn/protocol/component';
import { CairnError } from '@cairn/protocol/errors';
import type { Manifest } from '@cairn/protocol/manifest';
import { ADVICE, type InstallState } from '@cairn/protocol/vocabulary';
import type { Grant } from '../access/grant.rule.ts';
import { findCredentialSet } from '../action/delivery/credential-set.sql.ts';
import { type FoundSubscription, findSubscription } from '../action/subscription.sql.ts';
import type { Reader } from '../engine/database.ts';
import { fullNameOf } from './component.sql.ts';
import { declaredOf, installedManifest, namesIn, shapeOf } from './declaration.ts';
import type { FoundInstall } from './install.sql.ts';
import { findActive, findStandings, type Standings } from './obstacle.sql.ts';
import { type DeclaredSubscription, findDrifts, hasFields } from './resource.sql.ts';

interface Examination {
  readonly reader: Reader;
  readonly grant: Grant;
  readonly install: FoundInstall;
  readonly manifest: Manifest;
  readonly standings: Standings;
  readonly component: string;
}

/** Findings change the state only of an install that is ready or degraded. */
export function stateWith(state: InstallState, findings: readonly Finding[]): InstallState {
  if (state !== 'ready' && state !== 'degraded') return state;
  return soundness(findings);
}

export function soundness(findings: readonly Finding[]): 'ready' | 'degraded' {
  return findings.every(({ code }) => ADVICE.includes(code)) ? 'ready' : 'degraded';
}

export async function findFindings(reader: Reader, grant: Grant, install: FoundInstall): Promise<Finding[]> {
  if (install.state === 'uninstalled') return [];
  const manifest = installedManifest(grant, install);
  const standings = await findStandings(reader, install.repoId, namesIn(manifest));
  const component = fullNameOf(install.component);
  const examination: Examination = { reader, grant, install, manifest, standings, component };
  return [
    ...shapeFindings(examination),
    ...(await credentialFindings(examination)),
    // The pause itself stopped or deleted them.
    ...(install.state === 'paused' ? [] : await subscriptionFindings(examination)),
    ...(await healthFindings(examination)),
    ...setupFindings(examination),
    ...versionFindings(examination),
  ];
}

function gone({ install, component }: Examination, what: string, provisioning: 'install' | 'setup'): string {
  if (provisioning === 'install') return `The ${what} is missing. Run the install again to restore it.`;
  if (install.component.setupUrl === undefined) {
    return `The ${what} is missing. A setup endpoint must create it, but ${component} has none. Its publisher can add one with \`cairn component publish --setup-url\`. Then run the install again.`;
  }
  return `The ${what} is missing. The setup endpoint of ${component} creates it. Run the install again, which calls the endpoint. If that does not help, ask its operator.`;
}

function shapeFindings(examination: Examination): Finding[] {
  const { manifest, standings, install } = examination;
  return manifest.shapes.flatMap((shape): Finding[] => {
    const subject = `shape ${shape.name}`;
    const found = standings.shapes.get(shape.name);
    if (!found?.active) return [{ code: 'missing', subject, message: gone(examination, subject, shape.provisioning) }];
    if (hasFields(found, shapeOf(shape))) return [];
    const { owner } = found;
    if (owner !== undefined && !owner.released && owner.installId !== install.installId) {
      const message = `The shape ${shape.name} belongs to another component and has other fields. Tear one of the two components down.`;
      return [{ code: 'foreign-owned', subject, message }];
    }
    const message = `The shape ${shape.name} has other fields than the manifest declares. Run the install again, or rename the shape.`;
    return [{ code: 'drifted', subject, message }];
  });
}

async function credentialFindings(examination: Examination): Promise<Finding[]> {
  const { manifest, standings, component } = examination;
  const findings = await Promise.all(
    manifest.credentials.map(async (credential): Promise<Finding[]> => {
      const { name, provisioning } = credential;
      const subject = `credential set ${name}`;
      if (!standings.credentials.has(name)) {
        return [{ code: 'missing', subject, message: gone(examination, subject, provisioning) }];
      }
      if (standings.credentials.get(name) !== component) {
        const message = `The credential set ${name} was not created by this component. Delete it, and run the install again.`;
        return [{ code: 'foreign-owned', subject, message }];
      }
      return await keyFindings(examination, credential, subject);
    }),
  );
  return findings.flat();
}

async function keyFindings(
  { reader, install }: Examination,
  { name, requiredKeys, provisioning }: Manifest['credentials'][number],
  subject: string,
): Promise<Finding[]> {
  const set = await findCredentialSet(reader, { homeId: install.repoId, name });
  if (set.revokedAt !== null) {
    const message = `The credential set ${name} was revoked for good. Unbind and delete it, then run the install again.`;
    return [{ code: 'drifted', subject, message }];
  }
  const held = set.unboundAt === null ? set.keys.map(({ key }) => key) : [];
  const unset = requiredKeys.map(({ key }) => key).filter((key) => !held.includes(key));
  if (unset.length === 0) return [];
  const message = `Set ${unset.join(', ')} with \`cairn credential set ${name} ${unset.join(' ')}\``;
  const orSetup = provisioning === 'setup' ? ', or run the install again if its setup endpoint sets them' : '';
  return [
    { code: 'credential-keys-unset', subject, message: `${message}${orSetup}.`, credentialSet: name, keys: unset },
  ];
}

async function subscriptionFindings(examination: Examination) {
  const { manifest, standings, component, reader, install } = examination;
  const findings = await Promise.all(
    manifest.subscriptions.map(async (subscription): Promise<Finding[]> => {
      const { name, provisioning } = subscription;
      const subject = `subscription ${name}`;
      if (!standings.subscriptions.has(name)) {
        return [{ code: 'missing', subject, message: gone(examination, subject, provisioning) }];
      }
      if (standings.subscriptions.get(name) !== component) {
        const message = `The subscription ${name} was not created by this component. Rename or delete it, and run the install again.`;
        return [{ code: 'foreign-owned', subject, message }];
      }
      const found = await findSubscription(reader, { homeId: install.repoId, name });
      const drifts = await driftsOf(reader, found, declaredOf(subscription));
      const wrong = [...drifts, ...(found.active ? [] : ['active'])];
      if (wrong.length === 0) return [];
      const message = `The subscription ${name} differs from the manifest: ${wrong.join(', ')}. Run the install again to correct it.`;
      return [{ code: 'drifted', subject, message }];
    }),
  );
  return findings.flat();
}

async function driftsOf(reader: Reader, found: FoundSubscription, declared: DeclaredSubscription): Promise<string[]> {
  try {
    return await findDrifts(reader, found, declared);
  } catch (error) {
    if (error instanceof CairnError) return ['trigger'];
    throw error;
  }
}

async function healthFindings({ manifest, reader, install }: Examination): Promise<Finding[]> {
  const { things = [] } = manifest.health?.requires ?? {};
  const names = things.map((thing) => parseRecordName(thing));
  const there = await findActive(reader, { repoId: install.repoId, names });
  return things.flatMap((thing, at): Finding[] => {
    if (there[at]) return [];
    const message = `The component needs ${thing}, which is missing or retracted. Add it.`;
    return [{ code: 'missing', subject: `thing ${thing}`, message }];
  });
}

function setupFindings({ install, component }: Examination): Finding[] {
  const { setup, setupManifestHash, manifestHash } = install;
  if (install.component.setupUrl === undefined) return [];
  if (setupManifestHash !== manifestHash || setup === undefined || setup.status === 'skipped') {
    const message = `The setup endpoint of ${component} has not been called for this version yet. Run the install again.`;
    return [{ code: 'setup-pending', message }];
  }
  if (setup.status === 'completed') return [];
  const said = (setup.message ?? 'The setup endpoint did not complete.').replace(/[^.!?]$/, '$&.');
  const message = `${said} When ${component} works again, run the install again.`;
  return [{ code: 'setup-failed', message }];
}

function versionFindings({ install, component }: Examination): Finding[] {
  const { latestVersion, unregisteredAt } = install.component;
  if (unregisteredAt !== undefined) {
    const message = `${component} is no longer in the registry. It still works; tear it down when you do not need it any more.`;
    return [{ code: 'unregistered', message }];
  }
  if (latestVersion === install.version) return [];
  return [{ code: 'newer-version', message: `Version ${latestVersion} is published. You can update to it.` }];
}
