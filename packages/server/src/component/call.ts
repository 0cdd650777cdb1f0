// One request to an endpoint of a component itself, for its install or its teardown: signed by the credential set that its
// organization registered it with, and what the answer means.
import type { SetupResult } from '@cairn/protocol/component';
import { VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import { homeIdOf } from '../access/home.rule.ts';
import { type OpenedCredentials, openCredentials, type RefusedCredentials } from '../action/delivery/credential-use.ts';
import type { OutboundAnswer, OutboundFailure } from '../action/delivery/outbound.ts';
import { createScrubber, secretsInUrl } from '../keys/scrub.ts';
import { messageIn, scrubAll } from './answer.ts';
import type { FoundComponent } from './component.sql.ts';

export interface Endpoint {
  readonly component: FoundComponent;
  readonly kind: 'setup' | 'uninstall';
  readonly url: string;
}

const UNSIGNED: OpenedCredentials = { headersFor: () => ({}), scrub: (text) => text };

/** Why nothing is sent, for who installs it: the set is not theirs. */
const REFUSALS: Readonly<Record<RefusedCredentials['code'], string>> = {
  CREDENTIALS_REVOKED:
    'The credential set of the component was revoked. Its organization must publish it with another.',
  CREDENTIALS_UNBOUND:
    'The credential set of the component is for another origin. Its organization must set all keys of it anew.',
  CREDENTIALS_MISSING:
    'The credential set of the component holds no key for webhooks. Its organization must set one, such as WEBHOOK_SIGNING_SECRET.',
};

/** Opens what the request is signed with; or says why it cannot be sent. */
export async function openEndpoint(context: Context, endpoint: Endpoint): Promise<OpenedCredentials | SetupResult> {
  const { component, kind, url } = endpoint;
  const { credentialSetId, orgId, orgName, name } = component;
  if (credentialSetId === undefined) return UNSIGNED;
  const { origin } = new URL(url);
  if (isElsewhere(endpoint)) {
    return failed(
      'The uninstall endpoint is not at the origin of the setup endpoint, which the credential set is for.',
    );
  }
  const use = { homeId: homeIdOf({ orgId }), credentialSetId, actor: `component:${orgName}/${name}` };
  const opened = await openCredentials(context, { ...use, target: 'webhook', origin, details: { endpoint: kind } });
  return 'code' in opened ? failed(REFUSALS[opened.code]) : opened;
}

/** Used there, the set would be unbound, and no setup endpoint could be called any more. */
function isElsewhere({ component: { setupUrl }, url }: Endpoint): boolean {
  return setupUrl !== undefined && new URL(setupUrl).origin !== new URL(url).origin;
}

export interface EndpointCall {
  readonly credentials: OpenedCredentials;
  /** Another for each call. */
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the component is given and nobody else may see. */
  readonly secrets: readonly string[];
}

export async function callEndpoint(
  { outbound }: Context,
  endpoint: Endpoint,
  { credentials, id, body, secrets }: EndpointCall,
): Promise<SetupResult> {
  const { url } = endpoint;
  const text = JSON.stringify(body);
  const at = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    ...credentials.headersFor({ id, at, body: text }),
    'content-type': 'application/json',
    'user-agent': `Cairn/${VERSION}`,
  };
  const answer = await outbound.send({ method: 'POST', url, headers, body: text });
  const scrub = scrubAll(credentials.scrub, createScrubber(secrets), createScrubber(secretsInUrl(url)));
  return resultOf(answer, { kind: endpoint.kind, scrub });
}

interface Judged {
  readonly kind: Endpoint['kind'];
  scrub(text: string): string;
}

function resultOf(answer: OutboundAnswer | OutboundFailure, { kind, scrub }: Judged): SetupResult {
  if (answer.kind === 'failure') {
    const how = answer.code === 'TIMEOUT' ? 'was too slow' : 'was not reached';
    return failed(`The ${kind} endpoint ${how}. ${answer.message}`);
  }
  const { status: httpStatus, body, truncated } = answer;
  const answered = `The ${kind} endpoint answered ${httpStatus}`;
  if (httpStatus >= 300 && httpStatus < 400) {
    return failed(`${answered}. Redirects are not followed: register the URL that it leads to.`, httpStatus);
  }
  const said = messageIn(body, scrub);
  if (httpStatus < 200 || httpStatus > 299) {
    return failed(`${answered}${said === undefined ? '.' : `: ${said}`}`, httpStatus);
  }
  if (truncated) return failed(`${answered} with more than anybody reads. It must answer briefly.`, httpStatus);
  return { status: 'completed', httpStatus };
}

function failed(message: string, httpStatus?: number): SetupResult {
  return { status: 'failed', ...(httpStatus !== undefined && { httpStatus }), message };
}
