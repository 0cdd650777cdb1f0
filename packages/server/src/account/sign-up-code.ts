// The code in the link of a sign-up: the address that it was mailed to, and a signature that only this server can make.
// Nothing is stored before there is an account, or strangers could fill the database.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';

const SIGNATURE_BYTES = 32;

interface SignUpClaim {
  readonly email: string;
  readonly expiresAt: number;
}

export function encodeSignUpCode(key: KeyObject, { email, expiresAt }: SignUpClaim): string {
  const text = Buffer.from(JSON.stringify([email, expiresAt]));
  return Buffer.concat([signatureOf(key, text), text]).toString('base64url');
}

/** Whose address it is. */
export function decodeSignUpCode(key: KeyObject, { code, now }: { code: string; now: number }): string {
  const bytes = Buffer.from(code, 'base64url');
  const [signature, text] = [bytes.subarray(0, SIGNATURE_BYTES), bytes.subarray(SIGNATURE_BYTES)];
  const good = signature.length === SIGNATURE_BYTES && timingSafeEqual(signature, signatureOf(key, text));
  // Decoding skips characters that are none of base64url; what it skipped was not from us.
  if (!good || bytes.toString('base64url') !== code) throw refused();
  const [email, expiresAt] = JSON.parse(text.toString()) as [string, number];
  if (expiresAt <= now) throw refused();
  return email;
}

function refused() {
  return fail('UNAUTHENTICATED', {
    message: 'The sign-up link is wrong or expired. Ask for another at /auth/sign-up.',
  });
}

function signatureOf(key: KeyObject, text: Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
