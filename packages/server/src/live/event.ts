// What goes over the wire: server-sent events.
import type { CairnError } from '@cairn/protocol/errors';
import type { LiveInvalidate, LiveReady, LiveRevoked } from '@cairn/protocol/live';

/** Keeps connections open that proxies would cut, and finds those that nobody reads. */
export const COMMENT = Buffer.from(':\n\n');

/** The id is the sequence up to which the stream has told: whoever is cut off before the next event misses nothing. */
export function readyEvent(ready: LiveReady, lastSeq: number): Buffer {
  return eventOf('ready', ready, lastSeq);
}

export function invalidateEvent(invalidate: LiveInvalidate): Buffer {
  return eventOf('invalidate', invalidate, invalidate.repoSeq);
}

export function revokedEvent({ code, message }: CairnError): Buffer {
  return eventOf('revoked', { code, message } satisfies LiveRevoked);
}

/** JSON has no line breaks, so that the data is one line. */
function eventOf(name: string, data: object, id?: number): Buffer {
  const lines = [`event: ${name}`, ...(id === undefined ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data)}`];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}
