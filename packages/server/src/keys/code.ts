// One-time codes, as they stand in links: for set-up, invitations and new passwords. Only their hashes are stored.
import { createHash, randomBytes } from 'node:crypto';

export function mintCode(): string {
  return randomBytes(16).toString('base64url');
}

/** A fast hash is right here: the code has 128 random bits, there is nothing to guess. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
