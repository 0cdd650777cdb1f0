// The form of tokens: a prefix that scanners know and that tells the kind, 32 random bytes, and a checksum, so that a
// mistyped or invented one is refused without a look into the database.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIXES = { personal: 'cairn_pat_', setup: 'cairn_setup_', runtime: 'cairn_run_' } as const;

export type TokenKind = keyof typeof PREFIXES;

const KINDS = Object.keys(PREFIXES) as TokenKind[];
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^[0-9A-Za-z]{${SECRET_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

export function mintToken(kind: TokenKind = 'personal'): string {
  const begun = PREFIXES[kind] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_CHARACTERS);
  return begun + checksum(begun);
}

/** The kind of a token that is well formed; `undefined` for anything else. */
export function kindOfToken(value: string): TokenKind | undefined {
  const kind = KINDS.find((candidate) => value.startsWith(PREFIXES[candidate]));
  if (kind === undefined || !FORM.test(value.slice(PREFIXES[kind].length))) return undefined;
  const begun = value.slice(0, -CHECKSUM_CHARACTERS);
  return value.endsWith(checksum(begun)) ? kind : undefined;
}

/** What is stored. A fast hash is right here: the value has 256 random bits, there is nothing to guess. */
export function hashToken(value: string): Uint8Array {
  return new Uint8Array(hash('sha256', value, 'buffer'));
}

function checksum(begun: string): string {
  return base62(BigInt(crc32(begun)), CHECKSUM_CHARACTERS);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = BASE62[Number(rest % 62n)] + digits;
  return digits;
}
