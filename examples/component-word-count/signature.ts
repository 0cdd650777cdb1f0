// Verifies that a request comes from the server. All signatures cover the bytes of the body as they arrived.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Verifies calls of /setup and /uninstall, and deliveries. It refuses anything older than five minutes. */
export function isWebhook(secret: string, { body, headers }: SignedRequest): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const AGE_MS_MAX = 5 * 60_000;

/** Verifies calls of methods. `host` is the host at which the server reaches the component. */
export function isMethodCall(secret: string, host: string, { method, path, headers, body }: SignedRequest): boolean {
  const timestamp = String(headers['x-cairn-timestamp']);
  if (!(Math.abs(Date.now() - Number(timestamp)) < AGE_MS_MAX)) return false;
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const signed = [timestamp, method, host, path, headers['x-cairn-install-repo'], bodyHash].join('.');
  const expected = createHmac('sha256', secret).update(signed).digest();
  const given = Buffer.from(String(headers['x-cairn-signature']), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
