// What a browser keeps while its owner is at another provider: what the answer is held against, and what it is for. It is
// sealed, so that nobody can put together one for somebody else, and good for a quarter of an hour.
import type { KeyObject } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { sealText, unsealText } from '../../keys/sealing.ts';
import type { ExternalChecks } from './provider.ts';

export const EXTERNAL_FLOW_MS = 15 * 60_000;
const PURPOSE = 'external sign-in';

/** To sign in, to accept an invitation, or to connect the identity with the account of a session. */
export type ExternalIntent =
  | { readonly kind: 'sign-in'; readonly next?: string | undefined }
  | { readonly kind: 'invitation'; readonly code: string }
  | { readonly kind: 'link'; readonly sessionId: string };

export interface ExternalFlow {
  readonly checks: ExternalChecks;
  readonly intent: ExternalIntent;
}

export function sealFlow(key: KeyObject, flow: ExternalFlow, now: number): string {
  return sealText(key, PURPOSE, JSON.stringify({ ...flow, expiresAt: now + EXTERNAL_FLOW_MS }));
}

export function openFlow(key: KeyObject, sealed: string | undefined, now: number): ExternalFlow {
  const text = sealed === undefined ? undefined : unsealText(key, PURPOSE, sealed);
  if (text === undefined) throw notBegun();
  const { expiresAt, ...flow } = JSON.parse(text) as ExternalFlow & { expiresAt: number };
  if (expiresAt <= now) throw notBegun();
  return flow;
}

function notBegun() {
  return fail('UNAUTHENTICATED', {
    message: 'This sign-in was not begun in this browser, is over, or took too long. Begin again.',
  });
}
