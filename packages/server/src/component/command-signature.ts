// What a call of a component's method is signed with. The text that is signed names the host, so that a signature that was
// sent to one is of no use to another.
import { createHmac, hash } from 'node:crypto';

export const COMMAND_SECRET = 'CLI_SIGNING_SECRET';

export interface SignedCommand {
  readonly method: string;
  readonly url: URL;
  /** As org/repo. */
  readonly installRepo: string;
  /** Empty where the request has none. */
  readonly body: string;
  readonly timestampMs: number;
}

export function commandHeaders(secret: string, command: SignedCommand): Record<string, string> {
  const { method, url, installRepo, body, timestampMs } = command;
  const timestamp = String(timestampMs);
  const pathAndQuery = url.pathname + url.search;
  const signed = [timestamp, method, url.host, pathAndQuery, installRepo, hash('sha256', body, 'hex')].join('.');
  return {
    'x-cairn-install-repo': installRepo,
    'x-cairn-timestamp': timestamp,
    'x-cairn-signature': createHmac('sha256', secret).update(signed).digest('hex'),
  };
}
