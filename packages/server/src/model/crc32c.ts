// CRC-32C (Castagnoli): a checksum that no changed character of a short text escapes.

const POLYNOMIAL_REVERSED = 0x82f63b78;
const REMAINDERS = Int32Array.from({ length: 256 }, (_, byte) => remainderOf(byte));

/** An unsigned 32-bit number. Of each byte the lowest 8 bits count. */
export function crc32c(bytes: ArrayLike<number>): number {
  let crc = -1;
  for (let index = 0; index < bytes.length; index += 1) {
    crc = (crc >>> 8) ^ Number(REMAINDERS[(crc ^ Number(bytes[index])) & 0xff]);
  }
  return ~crc >>> 0;
}

function remainderOf(byte: number): number {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ POLYNOMIAL_REVERSED : remainder >>> 1;
  }
  return remainder;
}
