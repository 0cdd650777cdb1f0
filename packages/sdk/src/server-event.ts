// Parses server-sent events, wherever chunks end: https://html.spec.whatwg.org/multipage/server-sent-events.html
import { fail } from '@cairn/protocol/errors';
import type { Bytes } from './line.ts';

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** Id of this event, or of the last earlier event that had one. */
  readonly id: string | undefined;
}

/** No real event is this long, and longer input must not fill the memory. */
const LINE_CHARACTERS_MAX = 16 * 1024 * 1024;

export async function* serverEvents(chunks: AsyncIterable<Bytes>): AsyncGenerator<ServerEvent, void> {
  const fields = new Map<string, string>();
  for await (const line of textLinesOf(chunks)) {
    // A blank line ends an event. Input after the last blank line is an incomplete event.
    if (line !== '') readField(line, fields);
    else if (fields.has('data')) yield eventOf(fields);
    else fields.delete('event');
  }
}

function readField(line: string, fields: Map<string, string>): void {
  const colon = line.indexOf(':');
  // A comment only shows that the connection is alive.
  if (colon === 0) return;
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  const before = name === 'data' ? fields.get(name) : undefined;
  fields.set(name, before === undefined ? value : `${before}\n${value}`);
}

function eventOf(fields: Map<string, string>): ServerEvent {
  const found = { event: fields.get('event') ?? 'message', data: fields.get('data') ?? '', id: fields.get('id') };
  fields.delete('event');
  fields.delete('data');
  return found;
}

export const notLive = (cause?: unknown) =>
  fail('NETWORK_ERROR', { message: 'The response is not a live stream. Is there a proxy that changes it?', cause });

async function* textLinesOf(chunks: AsyncIterable<Bytes>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let begun = '';
  let endedByReturn = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    // The previous chunk ended with the first half of this line end.
    if (endedByReturn && text.startsWith('\n')) text = text.slice(1);
    endedByReturn = text.endsWith('\r');
    const lines = (begun + text).split(/\r\n|\n|\r/);
    begun = lines.pop() ?? '';
    if (begun.length > LINE_CHARACTERS_MAX) throw notLive();
    yield* lines;
  }
}
