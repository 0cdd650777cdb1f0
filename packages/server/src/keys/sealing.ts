// Secrets at rest: sealed with a key that is derived from the server's secret, and bound to the place where they lie, so
// that a row that is copied elsewhere in the database opens nowhere.
//
//   1 byte: the version of this form | 12 bytes: nonce | the secret, encrypted | 16 bytes: tag
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { deriveKey } from './secret.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealingKey(secret: string): KeyObject {
  return createSecretKey(deriveKey(secret, 'sealing'));
}

/** Where a value lies: the home, the credential set and the key. */
interface SealedPlace {
  readonly homeId: number;
  readonly credentialSetId: string;
  readonly key: string;
}

/** Never twice the same: the nonce is random. */
export function seal(key: KeyObject, place: SealedPlace, value: string): Uint8Array {
  return sealBound(key, boundTo(place), value);
}

function sealBound(key: KeyObject, bound: Buffer, value: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  const encrypted = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return new Uint8Array(Buffer.concat([Buffer.of(VERSION), nonce, encrypted, cipher.getAuthTag()]));
}

/** Throws where it was not sealed with this key for this place: the database was tampered with, or the secret is another. */
export function unseal(key: KeyObject, place: SealedPlace, sealed: Uint8Array): string {
  return unsealBound(key, boundTo(place), sealed);
}

function unsealBound(key: KeyObject, bound: Buffer, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== VERSION) throw new Error(`a sealed value has the unknown version ${bytes[0]}`);
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(bound)
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  const opened = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([opened, decipher.final()]).toString('utf8');
}

function boundTo({ homeId, credentialSetId, key }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([VERSION, homeId, credentialSetId, key]));
}

/** The same for what others keep for us, such as a cookie: bound to what it is for. */
export function sealText(key: KeyObject, purpose: string, value: string): string {
  return Buffer.from(sealBound(key, Buffer.from(purpose), value)).toString('base64url');
}

/** `undefined` for what was not sealed with this key for this purpose. */
export function unsealText(key: KeyObject, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  // Decoding skips what is none of base64url, and unused bits: what differs there was not from us.
  if (bytes.toString('base64url') !== sealed) return undefined;
  try {
    return unsealBound(key, Buffer.from(purpose), bytes);
  } catch {
    return undefined;
  }
}
