// The durable ID of a record: 26 characters of Crockford base32 that stay the same whatever the record is called.
//
//   2 zero bits | 48 bits of repository id | 48 bits of record id | 32 bits of CRC-32C over the 12 bytes of both ids
//
// The zeros make the first character a digit, which no shape's name starts with. The alphabet is in the order of its
// character codes, so that the IDs of a repository sort as its records were made.

export interface DurableIdParts {
  readonly repoId: number;
  readonly recordId: number;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGIT_CODES = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const ID_LIMIT = 2 ** 48;

const POLYNOMIAL_REVERSED = 0x82f63b78;
const REMAINDERS = Int32Array.from({ length: 256 }, (_, byte) => remainderOf(byte));
const CRC_START = -1;
const ASCII_MAX = 0x7f;

export function formatDurableId({ repoId, recordId }: DurableIdParts): string {
  requireId(recordId);
  const { digits, run } = startOf(repoId);
  const crc = crcEnd(crcWithId(run, recordId));
  // Of a record id's 48 bits the first 25 fill five characters; the other 23 share five with 2 bits of the checksum.
  return (
    digits +
    fiveDigits(recordId / 2 ** 23) +
    fiveDigits(((recordId % 2 ** 23) << 2) | (crc >>> 30)) +
    ALPHABET[(crc >>> 25) & 31] +
    fiveDigits(crc)
  );
}

/** What the IDs of one repository begin with, and the checksum so far: they come in long rows. */
let latest = { repoId: -1, digits: '', run: CRC_START };

function startOf(repoId: number): typeof latest {
  if (latest.repoId === repoId) return latest;
  requireId(repoId);
  const digits = fiveDigits(repoId / 2 ** 25) + fiveDigits(repoId % 2 ** 25);
  latest = { repoId, digits, run: crcWithId(CRC_START, repoId) };
  return latest;
}

/** `undefined` for what is no durable ID, a mistyped one included. */
export function parseDurableId(text: string): DurableIdParts | undefined {
  if (!FORM.test(text)) return undefined;
  const repoId = numberOf(text.slice(0, 10));
  // The two lowest bits of these ten characters belong to the checksum.
  const recordId = Math.floor(numberOf(text.slice(10, 20)) / 4);
  const parts = { repoId, recordId };
  return formatDurableId(parts) === text ? parts : undefined;
}

function requireId(id: number): void {
  if (!(Number.isInteger(id) && id >= 0 && id < ID_LIMIT)) throw new RangeError(`${id} is no id of 48 bits`);
}

/** Its six bytes, the highest first. An id is halved, because bit operators take no more than 32 bits. */
function crcWithId(run: number, id: number): number {
  return crcWithHalf(crcWithHalf(run, Math.floor(id / 2 ** 24)), id % 2 ** 24);
}

function crcWithHalf(run: number, half: number): number {
  return crcWith(crcWith(crcWith(run, half >>> 16), half >>> 8), half);
}

/** Writes the lowest 25 bits; a fraction does not count. */
function fiveDigits(bits: number): string {
  return String.fromCharCode(
    codeOf(bits >>> 20),
    codeOf(bits >>> 15),
    codeOf(bits >>> 10),
    codeOf(bits >>> 5),
    codeOf(bits),
  );
}

function codeOf(bits: number): number {
  return Number(DIGIT_CODES[bits & 31]);
}

function numberOf(digits: string): number {
  let number = 0;
  for (const digit of digits) number = number * 32 + ALPHABET.indexOf(digit);
  return number;
}

/** CRC-32C (Castagnoli): a checksum that no changed character of a short text escapes. An unsigned 32-bit number. */
export function crc32c(text: string): number {
  let run = CRC_START;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > ASCII_MAX) return crcOfBytes(new TextEncoder().encode(text));
    run = crcWith(run, code);
  }
  return crcEnd(run);
}

function crcOfBytes(bytes: Uint8Array): number {
  let run = CRC_START;
  for (const byte of bytes) run = crcWith(run, byte);
  return crcEnd(run);
}

/** Of a byte the lowest 8 bits count. */
function crcWith(run: number, byte: number): number {
  return (run >>> 8) ^ Number(REMAINDERS[(run ^ byte) & 0xff]);
}

function crcEnd(run: number): number {
  return ~run >>> 0;
}

function remainderOf(byte: number): number {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ POLYNOMIAL_REVERSED : remainder >>> 1;
  }
  return remainder;
}
