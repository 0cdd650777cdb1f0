// SHA-256 of texts. Each digest as a buffer of its own would take twice as long, and leave memory outside of the heap that
// the collector has to look after: so they lie side by side in larger ones.
import { hash } from 'node:crypto';

const DIGEST_BYTES = 32;
const BUFFER_BYTES = 1_024 * DIGEST_BYTES;

let buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
let filled = 0;

/** Part of a larger buffer: copy it before it is sent to another thread. */
export function sha256(text: string): Uint8Array {
  if (filled === BUFFER_BYTES) {
    buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    filled = 0;
  }
  buffer.write(hash('sha256', text, 'binary'), filled, 'latin1');
  const digest = new Uint8Array(buffer.buffer, filled, DIGEST_BYTES);
  filled += DIGEST_BYTES;
  return digest;
}
