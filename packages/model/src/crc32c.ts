// CRC-32C (Castagnoli): a checksum that no changed character of a short text escapes.

const POLYNOMIAL_REVERSED = 0x82f63b78;
const REMAINDERS = Int32Array.from({ length: 256 }, (_, byte) => remainderOf(byte));

/** An unsigned 32-bit number. Of each byte the lowest 8 bits count. */
export function crc32c(bytes: Iterable<number>): number {
  let run = CRC_START;
  for (const byte of bytes) run = crcWith(run, byte);
  return crcEnd(run);
}

/** The same byte by byte, for who has no list of them: begin here, and end with `crcEnd`. */
export const CRC_START = -1;

export function crcWith(run: number, byte: number): number {
  return (run >>> 8) ^ Number(REMAINDERS[(run ^ byte) & 0xff]);
}

export function crcEnd(run: number): number {
  return ~run >>> 0;
}

function remainderOf(byte: number): number {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ POLYNOMIAL_REVERSED : remainder >>> 1;
  }
  return remainder;
}
