// Traces that a secret leaves in a text: itself, parts of it, its hash, and the forms in which either could be written.
import { createHash } from 'node:crypto';

/** A part of a secret this long is none by chance. */
const WINDOW = 14;

/** What of a secret is in the text; empty when nothing is. */
export function tracesOf(secret: string, text: string): string[] {
  const bytes = Buffer.from(secret);
  const digest = createHash('sha256').update(secret).digest();
  const forms = [
    ...windowsOf(secret),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    // Whatever stands before it moves the letters of base64, not those of its middle.
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

/** Of a token what comes after its prefix, of a JWT its signature: the rest is no secret. */
function windowsOf(secret: string): string[] {
  const own = secret.slice(secret.lastIndexOf('.') + 1).replace(/^cairn_[a-z]+_/, '');
  const count = Math.max(1, own.length - WINDOW + 1);
  return Array.from({ length: count }, (_, at) => own.slice(at, at + WINDOW));
}
