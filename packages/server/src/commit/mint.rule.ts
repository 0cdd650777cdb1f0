// Values that `$N` asks for. The time stands first, so that names made one after the other lie side by side in the index.
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** 26 characters: 50 bits of milliseconds, 80 random ones. */
export function mintValue(): string {
  let time = Date.now();
  let value = '';
  for (let at = 0; at < TIME_CHARACTERS; at++) {
    value = ALPHABET.charAt(time % 32) + value;
    time = Math.floor(time / 32);
  }
  for (const byte of randomBytes(RANDOM_CHARACTERS)) value += ALPHABET.charAt(byte & 31);
  return value;
}
