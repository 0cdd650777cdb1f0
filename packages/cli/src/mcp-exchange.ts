// One request to POST /mcp: a line goes there, and what the server says to it comes back message by message.
import { CairnError } from '@cairn/sdk';
import { type CallerOptions, sendAs } from '@cairn/sdk/caller';
import { addressOf, bodyOf, noAnswer, refusalIn } from '@cairn/sdk/http';
import { serverEvents } from '@cairn/sdk/server-event';
import { messagesIn } from './mcp-message.ts';

export interface McpServer extends CallerOptions {
  readonly url: string;
}

export interface McpLine {
  readonly line: Uint8Array;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

/** The messages of the answer, as JSON; a refusal that is none of them is thrown. */
export async function* exchange(server: McpServer, { line, headers, signal }: McpLine): AsyncGenerator<string, void> {
  const answer = await sendAs(server, (caller) =>
    fetch(addressOf(server.url, 'mcp'), {
      method: 'POST',
      // The token must not follow to where another server leads.
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...caller,
      },
      body: line as Uint8Array<ArrayBuffer>,
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw noAnswer(server.url, error);
    }),
  );
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) return yield* events(server, answer, signal);
  const text = await answer.text().catch((error: unknown) => {
    signal.throwIfAborted();
    throw noAnswer(server.url, error);
  });
  // Also what is wrong with a message is said in one.
  if (messagesIn(text)?.every((message) => 'jsonrpc' in message)) yield text;
  else if (!answer.ok) throw refusalIn(answer, text);
  else if (text !== '') throw noAnswer(server.url, 'it is no message of MCP');
}

async function* events({ url }: McpServer, answer: Response, signal: AbortSignal): AsyncGenerator<string, void> {
  const cut = (reason: string) =>
    new CairnError('NETWORK_ERROR', { message: `The answer of ${url} was cut: ${reason}.` });
  for await (const { data } of serverEvents(bodyOf(answer, { signal, cut }))) if (data !== '') yield data;
}
