// The form of a personal access token: a prefix that scanners know, 32 random bytes, and a checksum, so that a mistyped
// or invented one is refused without a look into the database.
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'cairn_pat_';
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

export function mintToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_CHARACTERS);
  return PREFIX + secret + checksum(secret);
}

export function isWellFormedToken(value: string): boolean {
  if (!FORM.test(value)) return false;
  const secret = value.slice(PREFIX.length, PREFIX.length + SECRET_CHARACTERS);
  return value.endsWith(checksum(secret));
}

/** What is stored. A fast hash is right here: the value has 256 random bits, there is nothing to guess. */
export function hashToken(value: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(value).digest());
}

function checksum(secret: string): string {
  return base62(BigInt(crc32(PREFIX + secret)), CHECKSUM_CHARACTERS);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits;
  return digits;
}
