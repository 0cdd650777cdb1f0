// Opens a credential set for one delivery: to the origin that it is bound to, while it is not revoked, and written down.
import {
  type DeliveryTarget,
  deliveryHeaders,
  keysFor,
  type SignedDelivery,
  secretsOf,
} from '../auth/delivery-header.ts';
import { createScrubber } from '../auth/scrub.ts';
import { unseal } from '../auth/sealing.ts';
import type { UseRefusal } from '../store/credential-set-use.ts';
import type { Store } from '../store/store.ts';
import type { Keys } from './context.ts';

export interface CredentialUse {
  readonly homeId: number;
  readonly credentialSetId: string;
  readonly subscriptionName: string;
  readonly target: DeliveryTarget;
  /** Of the URL that it is sent to, such as https://hooks.example.com. */
  readonly origin: string;
  readonly runId: string;
  readonly attempt: number;
}

export interface OpenedCredentials {
  /** What the request carries: the signature over id, time and body, and whatever else the set holds. */
  headersFor(delivery: SignedDelivery): Record<string, string>;
  /** Takes every value of the set out of a text. To be called before the text is cut. */
  scrub(text: string): string;
}

/** Nothing is sent: the set was revoked, or is not for this origin. */
export interface RefusedCredentials {
  readonly code: 'CREDENTIALS_REVOKED' | 'CREDENTIALS_UNBOUND' | 'CREDENTIALS_MISSING';
  readonly message: string;
}

const REFUSALS: Readonly<Record<UseRefusal, RefusedCredentials>> = {
  revoked: {
    code: 'CREDENTIALS_REVOKED',
    message: 'The credential set was revoked. Bind the subscription to another one, or unbind it.',
  },
  unbound: {
    code: 'CREDENTIALS_UNBOUND',
    message: 'The credential set was first used for another origin. Set all of its keys anew to use it for this one.',
  },
  missing: {
    code: 'CREDENTIALS_MISSING',
    message:
      'The credential set holds no key for webhooks. Set one, such as WEBHOOK_SIGNING_SECRET, or unbind the set.',
  },
};

export async function openCredentials(
  { store, keys }: { readonly store: Store; readonly keys: Keys },
  use: CredentialUse,
): Promise<OpenedCredentials | RefusedCredentials> {
  const { homeId, credentialSetId, subscriptionName, target, origin, runId, attempt } = use;
  const used = await store.write('useCredentialSet', {
    ...{ homeId, credentialSetId, target, origin },
    actor: `subscription:${subscriptionName}`,
    wanted: keysFor(target),
    details: { target, runId, attempt },
    now: Date.now(),
  });
  if ('refusal' in used) return REFUSALS[used.refusal];
  const opened = used.values.map(({ key, value }): [string, string] => [
    key,
    unseal(keys.sealing, { homeId, credentialSetId, key }, value),
  ]);
  const values = new Map(opened);
  return {
    headersFor: (delivery) => deliveryHeaders(values, target, delivery),
    scrub: createScrubber(secretsOf(values)),
  };
}
