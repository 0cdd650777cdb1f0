// Opens a credential set for one request: to the origin that it is bound to, while it is not revoked, and written down.

import type { Keys } from '../../access/context.ts';
import { createScrubber } from '../../keys/scrub.ts';
import { unseal } from '../../keys/sealing.ts';
import type { Store } from '../../store.ts';
import type { UseRefusal } from './credential-set-use.write.ts';
import {
  type DeliveryTarget,
  deliveryHeaders,
  keysFor,
  type SignedDelivery,
  secretsOf,
  type Values,
} from './delivery-header.ts';

export interface CredentialUse {
  readonly homeId: number;
  readonly credentialSetId: string;
  /** Who uses it: `subscription:NAME` or `component:ORG/NAME`. */
  readonly actor: string;
  readonly target: DeliveryTarget | 'command';
  /** Of the URL that it is sent to, such as https://hooks.example.com. */
  readonly origin: string;
  /** What it is used for, to be written down: nothing secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface DeliveryUse extends CredentialUse {
  readonly target: DeliveryTarget;
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
    message:
      'The credential set was first used for another origin. Give what sends here a set of its own, or set all keys of this one anew to use it here.',
  },
  missing: {
    code: 'CREDENTIALS_MISSING',
    message:
      'The credential set holds no key for webhooks. Set one, such as WEBHOOK_SIGNING_SECRET, or unbind the set.',
  },
};

interface Opener {
  readonly store: Store;
  readonly keys: Keys;
}

/** For what is sent to a webhook, or to an endpoint of a component. */
export async function openCredentials(
  opener: Opener,
  use: DeliveryUse,
): Promise<OpenedCredentials | RefusedCredentials> {
  const { target } = use;
  const values = await openValues(opener, use, keysFor(target));
  if (typeof values === 'string') return REFUSALS[values];
  return {
    headersFor: (delivery) => deliveryHeaders(values, target, delivery),
    scrub: createScrubber(secretsOf(values)),
  };
}

/** All values of the set, for who has a use for the wanted ones; or why there are none. */
export async function openValues(
  { store, keys }: Opener,
  { details, ...use }: CredentialUse,
  wanted: readonly string[],
): Promise<Values | UseRefusal> {
  const { homeId, credentialSetId, target } = use;
  const used = await store.write('useCredentialSet', {
    ...use,
    wanted,
    details: { target, ...details },
    now: Date.now(),
  });
  if ('refusal' in used) return used.refusal;
  const opened = used.values.map(({ key, value }): [string, string] => [
    key,
    unseal(keys.sealing, { homeId, credentialSetId, key }, value),
  ]);
  return new Map(opened);
}
