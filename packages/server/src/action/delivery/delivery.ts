// Sends one delivery: signed and let in by the credential set of its subscription, and answered for.
import { TRACE_HEADER } from '@cairn/protocol/subscription-event';
import { VERSION } from '@cairn/protocol/version';
import type { Keys } from '../../access/context.ts';
import { createScrubber, secretsInUrl } from '../../keys/scrub.ts';
import { storableText } from '../../model/storable-text.ts';
import type { Store } from '../../store.ts';
import { formatTrace, type Trace } from '../trace.ts';
import { type OpenedCredentials, openCredentials, type RefusedCredentials } from './credential-use.ts';
import { judge, type Verdict } from './delivery-verdict.ts';
import type { Outbound } from './outbound.ts';

export interface DeliverySender {
  readonly store: Store;
  readonly keys: Keys;
  readonly outbound: Outbound;
  /** Where receivers report back to. */
  readonly publicUrl: string;
}

export interface Delivery {
  readonly homeId: number;
  readonly subscriptionName: string;
  readonly credentialSetId: string | null;
  readonly target: 'webhook' | 'fallback';
  readonly url: string;
  /** The same for every attempt: a receiver knows by it what it has already seen. */
  readonly runId: string;
  readonly attempt: number;
  readonly trace: Trace;
  readonly body: string;
}

export interface DeliveredAnswer {
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly responseSnippet?: string;
}

const OPEN: OpenedCredentials = { headersFor: () => ({}), scrub: (text) => text };

/** Throws when the signal is aborted, and nothing else that the receiver could cause. */
export async function sendDelivery(
  sender: DeliverySender,
  delivery: Delivery,
  signal?: AbortSignal,
): Promise<DeliveredAnswer> {
  const credentials = await credentialsFor(sender, delivery);
  if ('code' in credentials) return { verdict: judge(credentials, Date.now()), durationMs: 0 };
  const { url, body } = delivery;
  const headers = headersOf(sender, delivery, credentials);
  const answer = await sender.outbound.send({ method: 'POST', url, headers, body, ...(signal && { signal }) });
  const verdict = judge(answer, Date.now());
  const { errorMessage } = verdict;
  const scrubUrl = createScrubber(secretsInUrl(url));
  // Receivers like to say which path they do not know, and only who asks for the URL is to see it.
  const storable = (text: string) => storableText(scrubUrl(credentials.scrub(text)));
  return {
    verdict: { ...verdict, ...(errorMessage !== undefined && { errorMessage: storable(errorMessage) }) },
    durationMs: Math.round(answer.durationMs),
    ...(answer.kind === 'answer' && { responseSnippet: storable(answer.body) }),
  };
}

async function credentialsFor(
  { store, keys }: DeliverySender,
  { url, credentialSetId, ...delivery }: Delivery,
): Promise<OpenedCredentials | RefusedCredentials> {
  if (credentialSetId === null) return OPEN;
  const { homeId, subscriptionName, target, runId, attempt } = delivery;
  const { origin } = new URL(url);
  const actor = `subscription:${subscriptionName}`;
  const use = { homeId, credentialSetId, actor, target, origin, details: { runId, attempt } };
  return await openCredentials({ store, keys }, use);
}

function headersOf(
  { keys }: DeliverySender,
  { runId: id, trace, body }: Delivery,
  credentials: OpenedCredentials,
): Record<string, string> {
  const at = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    ...credentials.headersFor({ id, at, body }),
    'content-type': 'application/json',
    'user-agent': `Cairn/${VERSION}`,
    [TRACE_HEADER]: formatTrace(keys.trace, trace, Date.now()),
  };
}
