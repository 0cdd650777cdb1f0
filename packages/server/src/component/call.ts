// One signed request to the setup or uninstall endpoint of a component.

import { storableText } from '@cairn/model/problem';
import type { Resolution, SetupResult } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { authorize } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import { homeIdOf } from '../access/grant.rule.ts';
import type { OutboundAnswer, OutboundFailure } from '../action/delivery/client.ts';
import {
  NO_CREDENTIALS,
  type OpenedCredentials,
  openCredentials,
  type RefusedCredentials,
} from '../action/delivery/credential-set.ts';
import { webhookHeaders } from '../action/delivery/delivery-header.ts';
import { createScrubber, secretsInUrl } from '../keys/scrub.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import { candidateOf, findReasons, installingScopes, seeComponent } from './access.ts';
import type { ComponentRef, FoundComponent } from './component.sql.ts';
import { type FoundInstall, findInstall, installPaused, notInstalled } from './install.sql.ts';
import { callSetup, settle } from './setup.ts';

export interface Endpoint {
  readonly component: FoundComponent;
  readonly kind: 'setup' | 'uninstall';
  readonly url: string;
}

/** The installer cannot fix these, because the set belongs to the component's organization. */
const REFUSALS: Readonly<Record<RefusedCredentials['code'], string>> = {
  CREDENTIALS_REVOKED:
    'The credential set of the component was revoked. Its organization must publish the component with another set.',
  CREDENTIALS_UNBOUND:
    'The credential set of the component belongs to another origin. Its organization must set all its keys again.',
  CREDENTIALS_MISSING:
    'The credential set of the component has no key for webhooks. Its organization must set one, such as WEBHOOK_SIGNING_SECRET.',
};

export async function openEndpoint(context: Context, endpoint: Endpoint): Promise<OpenedCredentials | SetupResult> {
  const { component, kind, url } = endpoint;
  const { credentialSetId, orgId, orgName, name } = component;
  if (credentialSetId === undefined) return NO_CREDENTIALS;
  const { origin } = new URL(url);
  if (isElsewhere(endpoint)) {
    return failed(
      'The uninstall endpoint has another origin than the setup endpoint, to which the credential set belongs.',
    );
  }
  const use = { homeId: homeIdOf({ orgId }), credentialSetId, actor: `component:${orgName}/${name}` };
  const opened = await openCredentials(context, { ...use, target: 'webhook', origin, details: { endpoint: kind } });
  return 'code' in opened ? failed(REFUSALS[opened.code]) : opened;
}

/** A use at another origin would unbind the set and block all further setup calls. */
function isElsewhere({ component: { setupUrl }, url }: Endpoint): boolean {
  return setupUrl !== undefined && new URL(setupUrl).origin !== new URL(url).origin;
}

interface EndpointCall {
  readonly credentials: OpenedCredentials;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
}

export async function callEndpoint(
  { outbound }: Context,
  endpoint: Endpoint,
  { credentials, id, body, secrets }: EndpointCall,
): Promise<SetupResult> {
  const { url } = endpoint;
  const text = JSON.stringify(body);
  const headers = webhookHeaders(credentials, id, text);
  const answer = await outbound.send({ method: 'POST', url, headers, body: text });
  const [scrubSecrets, scrubUrl] = [createScrubber(secrets), createScrubber(secretsInUrl(url))];
  return resultOf(answer, endpoint.kind, (said) => scrubUrl(scrubSecrets(credentials.scrub(said))));
}

function resultOf(
  answer: OutboundAnswer | OutboundFailure,
  kind: Endpoint['kind'],
  scrub: (text: string) => string,
): SetupResult {
  if (answer.kind === 'failure') {
    const how = answer.code === 'TIMEOUT' ? 'was too slow' : 'could not be reached';
    return failed(`The ${kind} endpoint ${how}. ${answer.message}`);
  }
  const { status: httpStatus, body, truncated } = answer;
  const answered = `The ${kind} endpoint answered ${httpStatus}`;
  if (httpStatus >= 300 && httpStatus < 400) {
    return failed(`${answered}. Cairn does not follow redirects. Register the final URL.`, httpStatus);
  }
  const said = messageIn(body, scrub);
  if (httpStatus < 200 || httpStatus > 299) {
    return failed(`${answered}${said === undefined ? '.' : `: ${said}`}`, httpStatus);
  }
  if (truncated) return failed(`${answered} with too much text. It must answer briefly.`, httpStatus);
  return { status: 'completed', httpStatus };
}

function failed(message: string, httpStatus?: number): SetupResult {
  return { status: 'failed', ...(httpStatus !== undefined && { httpStatus }), message };
}

const MESSAGE_CHARACTERS_MAX = 500;

/** Removes secrets first and shortens afterwards, because a cut secret would not be recognized. */
export function messageIn(body: string, scrub: (text: string) => string): string | undefined {
  const shown = storableText(scrub(saidIn(body)))
    // The message may be shown in a terminal, so it contains no control characters.
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (shown === '') return undefined;
  return shown.length > MESSAGE_CHARACTERS_MAX ? `${shown.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()}…` : shown;
}

function saidIn(body: string): string {
  const { message, error } = membersOf(body);
  const inner =
    typeof error === 'object' && error !== null ? (error as { message?: unknown; error?: unknown }).message : error;
  const [said = body] = [message, inner].filter((text) => typeof text === 'string');
  return said;
}

function membersOf(body: string): { message?: unknown; error?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

interface ResolveRequest {
  readonly component: ComponentRef;
  readonly installRepo: RepositoryAddress;
}

interface SetupRequest extends ResolveRequest {
  readonly installId: string;
  readonly expectedManifestHash: string;
}

export async function resolveComponent(
  context: Context,
  { component: ref, installRepo }: ResolveRequest,
): Promise<Resolution> {
  const grant = await authorize(context, installRepo, 'repo:write');
  const component = await seeComponent(context, ref);
  const candidate = await candidateOf(context, grant, component);
  const { published, manifest, installId } = candidate;
  const reasons = await findReasons(context, grant, candidate);
  return {
    manifest: JSON.parse(published.manifestText),
    manifestHash: published.manifestHash,
    version: published.version,
    hasSetup: component.setupUrl !== undefined,
    installId,
    eligible: reasons.length === 0,
    reasons,
    needs: installingScopes(manifest),
  };
}

/** Calls only the approved version: a version published later needs an update first. */
export async function setupCall(context: Context, request: SetupRequest): Promise<SetupResult> {
  const grant = await authorize(context, request.installRepo, 'repo:write');
  const component = await seeComponent(context, request.component);
  const { componentId } = component;
  const install = await findInstall(context.store.database, { repoId: grant.repoId, componentId });
  if (install === undefined || install.state === 'uninstalled') throw notInstalled();
  if (install.state === 'paused') throw installPaused();
  requireSame(install, request, (await candidateOf(context, grant, component)).published.manifestHash);
  const result = await callSetup(context, grant, install);
  await settle(context, grant, install);
  return result;
}

function requireSame(install: FoundInstall, request: SetupRequest, latestHash: string): void {
  if (request.installId !== install.installId) {
    throw stale('installId', 'is not of the install in this repository. Ask resolve for it');
  }
  if (request.expectedManifestHash !== latestHash) {
    throw stale('expectedManifestHash', 'is not of the latest version. Ask resolve again');
  }
  if (request.expectedManifestHash !== install.manifestHash) {
    throw stale('expectedManifestHash', 'is not of the version that is installed. Update the install first');
  }
}

function stale(path: string, what: string): CairnError {
  return fail('CONFLICT', { message: `${path}: this ${what}.`, details: { reason: 'stale', path } });
}
