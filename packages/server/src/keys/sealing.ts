// Encrypts secrets at rest and binds each to its location, so that a copied row cannot be opened elsewhere. Format:
// version (1 byte), nonce (12 bytes), ciphertext, tag (16 bytes).
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { deriveKey } from './secret.ts';
import type { SealedPlace } from './server-fact.sql.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealingKey(secret: string): KeyObject {
  return createSecretKey(deriveKey(secret, 'sealing'));
}

export function seal(key: KeyObject, place: SealedPlace, value: string): Uint8Array {
  return sealBound(key, boundTo(place), value);
}

function sealBound(key: KeyObject, bound: Buffer, value: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  const encrypted = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return new Uint8Array(Buffer.concat([Buffer.of(VERSION), nonce, encrypted, cipher.getAuthTag()]));
}

/** A failure means that the database was tampered with or the secret is wrong. */
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

export function sealText(key: KeyObject, purpose: string, value: string): string {
  return Buffer.from(sealBound(key, Buffer.from(purpose), value)).toString('base64url');
}

export function unsealText(key: KeyObject, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  // Decoding skips invalid characters and unused bits, so a text that encodes differently was not issued here.
  if (bytes.toString('base64url') !== sealed) return undefined;
  try {
    return unsealBound(key, Buffer.from(purpose), bytes);
  } catch {
    return undefined;
  }
}
