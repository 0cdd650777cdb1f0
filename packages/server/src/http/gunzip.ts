// A body that was packed with gzip, unpacked as far as it is read. A few bytes of gzip can stand for gigabytes, which are
// never in memory at once, but would keep a server busy that anyone can send them to.
import { type Readable, Transform } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { type CairnError, fail } from '@cairn/protocol/errors';

/** The ratio of a beginning says little. */
const UNCHECKED_BYTES = 1024 * 1024;
const PIECE_BYTES = 65_536;

/** Never closes the body, also when this is closed: the connection is needed for the answer. */
export function gunzipped(body: Readable, maxRatio: number): Readable {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  const packed = { bytes: 0 };
  const unpacked = checked(gunzip, { packed, maxRatio });
  body.on('data', (piece: Buffer) => {
    packed.bytes += piece.length;
  });
  gunzip.on('error', (error) => unpacked.destroy(damaged(error)));
  body.on('error', (error) => unpacked.destroy(error));
  body.on('close', () => {
    if (!body.readableEnded) unpacked.destroy(new Error('the body was closed'));
  });
  unpacked.on('close', () => {
    body.unpipe(gunzip);
    gunzip.destroy();
  });
  return body.pipe(gunzip).pipe(unpacked);
}

interface Checks {
  readonly packed: { readonly bytes: number };
  readonly maxRatio: number;
}

function checked(gunzip: Gunzip, { packed, maxRatio }: Checks): Transform {
  let bytes = 0;
  return new Transform({
    transform: (piece: Buffer, _, done) => {
      bytes += piece.length;
      if (bytes > UNCHECKED_BYTES && bytes > maxRatio * gunzip.bytesWritten) done(tooPacked(maxRatio));
      else done(null, piece);
    },
    // What comes after the end of the data would be left out without a word.
    flush: (done) => done(packed.bytes > gunzip.bytesWritten ? damaged(new Error('more after its end')) : null),
  });
}

function damaged(error: Error): CairnError {
  const message = `The body is not whole gzip data (${error.message}). Send the rest, from the offset that was acknowledged.`;
  return fail('VALIDATION_ERROR', { message, cause: error });
}

function tooPacked(maxRatio: number): CairnError {
  return fail('PAYLOAD_TOO_LARGE', {
    message: `The body unpacks to more than ${maxRatio} times its size. Send it without Content-Encoding.`,
    details: { maxRatio },
  });
}
