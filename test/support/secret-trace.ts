// Traces of a secret in a text: the secret, parts of it, its hash, and encodings of either.
import { createHash } from 'node:crypto';

/** A match of this length is not a coincidence. */
const WINDOW = 14;

export function tracesOf(secret: string, text: string): string[] {
  const bytes = Buffer.from(secret);
  const digest = createHash('sha256').update(secret).digest();
  const forms = [
    ...windowsOf(secret),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    // A prefix shifts the letters of base64, so all three alignments are checked.
    ...[0, 1, 2].map((skipped) => bytes.subarray(skipped).toString('base64').slice(0, 20)),
    bytes.subarray(0, 12).join(','),
    bytes.subarray(0, 12).join(', '),
    digest.toString('hex').slice(0, 24),
    digest.toString('base64').slice(0, 24),
    digest.toString('base64url').slice(0, 24),
    digest.subarray(0, 12).join(','),
  ];
  return forms.filter((form) => form !== '' && text.toLowerCase().includes(form.toLowerCase()));
}

/** The part of a token after its prefix, or the signature of a JWT. The rest is not secret. */
function windowsOf(secret: string): string[] {
  const own = secret.slice(secret.lastIndexOf('.') + 1).replace(/^cairn_[a-z]+_/, '');
  const count = Math.max(1, own.length - WINDOW + 1);
  return Array.from({ length: count }, (_, at) => own.slice(at, at + WINDOW));
}
