// `cairn mcp`: carries MCP between standard streams and POST /mcp, for clients that start a local process. Each input
// line becomes one request; all of them run concurrently. Each message of an answer becomes one line. Every request
// gets an answer, even if only an error.
import { CairnError } from '@cairn/sdk';
import { type CallerOptions, sendAs } from '@cairn/sdk/caller';
import { addressOf, bodyOf, noAnswer, refusalIn } from '@cairn/sdk/http';
import { splitFirst, wholeLines } from '@cairn/sdk/line';
import { serverEvents } from '@cairn/sdk/server-event';
import type { Command } from 'commander';
import { type Io, isClosedPipe } from '../io.ts';
import { errorLook } from '../look.ts';
import { printError } from '../output.ts';
import { chooseKnown, credentialsOf, withHint } from '../profile-choice.ts';
import { type GlobalFlags, openSession } from '../session.ts';

type MessageId = string | number;

interface Message {
  readonly id?: MessageId | null;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Older clients may batch several messages in one line. Undefined if the line is not JSON. */
function messagesIn(line: Uint8Array | string): Message[] | undefined {
  try {
    const parsed: unknown = JSON.parse(typeof line === 'string' ? line : decoder.decode(line));
    return (Array.isArray(parsed) ? parsed : [parsed]).filter(isObject);
  } catch {
    return undefined;
  }
}

function idsAsked(messages: readonly Message[]): MessageId[] {
  return messages.flatMap(({ id, method }) => (method !== undefined && isId(id) ? [id] : []));
}

function idAnswered({ id, method }: Message): MessageId | undefined {
  return method === undefined && isId(id) ? id : undefined;
}

function idCancelled({ method, params }: Message): MessageId | undefined {
  const { requestId } = fieldsOf(params);
  return method === 'notifications/cancelled' && isId(requestId) ? requestId : undefined;
}

/** Protocols before 2026 negotiate the version once, in the answer to the first request. */
function versionAgreed({ result }: Message): string | undefined {
  const { protocolVersion } = fieldsOf(result);
  return typeof protocolVersion === 'string' ? protocolVersion : undefined;
}

const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** From protocol 2026-07-28 on, each message carries its own version, and headers repeat its subject. */
function headersOf(messages: readonly Message[], agreed: string | undefined): Record<string, string> {
  const [{ method, params } = {}] = messages;
  const own = fieldsOf(fieldsOf(params)._meta)['io.modelcontextprotocol/protocolVersion'];
  if (typeof own !== 'string' || typeof method !== 'string') {
    return agreed === undefined || method === 'initialize' ? {} : { 'mcp-protocol-version': agreed };
  }
  const name = fieldsOf(params)[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': headerValue(own),
    'mcp-method': headerValue(method),
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  };
}

const IN_A_HEADER = /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function headerValue(text: string): string {
  return IN_A_HEADER.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Our codes are more specific and are in the data. */
const SERVER_ERROR = -32_000;
const PARSE_ERROR = -32_700;

function failureLine(id: MessageId, { fields }: CairnError): string {
  const message = fields.hint === undefined ? fields.message : `${fields.message} ${fields.hint}`;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message, data: fields } });
}

const NO_JSON_LINE = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: PARSE_ERROR, message: 'The line is not JSON. Send one message per line.' },
});

/** In valid JSON, line breaks occur between tokens only. */
function inOneLine(json: string): string {
  return json.replaceAll(/[\r\n]+/g, ' ');
}

const isId = (id: unknown): id is MessageId => typeof id === 'string' || typeof id === 'number';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? (value as Record<string, unknown>) : {};
}

interface McpServer extends CallerOptions {
  readonly url: string;
}

interface McpLine {
  readonly line: Uint8Array;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

async function* exchange(server: McpServer, { line, headers, signal }: McpLine): AsyncGenerator<string, void> {
  const answer = await sendAs(server, (caller) =>
    fetch(addressOf(server.url, 'mcp'), {
      method: 'POST',
      // A redirect must not carry the token to another server.
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
  // Errors about a message are messages too.
  if (messagesIn(text)?.every((message) => 'jsonrpc' in message)) yield text;
  else if (!answer.ok) throw refusalIn(answer, text);
  else if (text !== '') throw noAnswer(server.url, 'it is not an MCP message');
}

async function* events({ url }: McpServer, answer: Response, signal: AbortSignal): AsyncGenerator<string, void> {
  const cut = (reason: string) =>
    new CairnError('NETWORK_ERROR', { message: `The answer of ${url} was interrupted: ${reason}.` });
  for await (const { data } of serverEvents(bodyOf(answer, { signal, cut }))) if (data !== '') yield data;
}

interface BridgeOptions {
  readonly server: McpServer;
  readonly explain: (error: CairnError) => CairnError;
  readonly onFailure: (error: CairnError) => void;
}

async function bridge(io: Io, options: BridgeOptions): Promise<void> {
  const carrier = new Carrier(io, options);
  const carried = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    io.stdin.destroy();
  };
  try {
    for await (const line of linesOf(io.stdin)) {
      const carrying = carrier
        .carry(line)
        .catch(fail)
        .finally(() => carried.delete(carrying));
      carried.add(carrying);
    }
    carrier.endListening();
  } catch (error) {
    fail(error);
    carrier.endAll();
  }
  await Promise.all(carried);
  const [failure] = failures;
  if (failure !== undefined && !isClosedPipe(failure)) throw failure;
}

async function* linesOf(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const pieces = wholeLines(stdin);
  for (;;) {
    const { done = false, value } = await pieces.next();
    // The last line may lack a line break.
    let rest = done ? Buffer.concat([value, Buffer.from('\n')]) : value;
    while (rest.length > 0) {
      const [line, others] = splitFirst(rest);
      if (line.some((byte) => byte > SPACE)) yield line;
      rest = others;
    }
    if (done) return;
  }
}

/** Excludes the control characters below, such as line breaks. */
const SPACE = 0x20;

/** Streams that run until one side ends them. */
const LISTENING = 'subscriptions/listen';

interface Asked {
  readonly messages: readonly Message[];
  readonly unanswered: Set<MessageId>;
}

class Carrier {
  readonly #io: Io;
  readonly #options: BridgeOptions;
  readonly #open = new Map<MessageId, { readonly method: unknown; readonly ending: AbortController }>();
  #agreed: string | undefined;

  constructor(io: Io, options: BridgeOptions) {
    this.#io = io;
    this.#options = options;
  }

  async carry(line: Uint8Array): Promise<void> {
    const messages = messagesIn(line);
    if (messages === undefined) return await this.#print(NO_JSON_LINE);
    const ending = new AbortController();
    const unanswered = new Set(idsAsked(messages));
    for (const { id, method } of messages) if (id !== undefined && id !== null) this.#open.set(id, { method, ending });
    try {
      this.#cancel(messages);
      const headers = headersOf(messages, this.#agreed);
      for await (const text of exchange(this.#options.server, { line, headers, signal: ending.signal })) {
        await this.#answer(text, { messages, unanswered });
      }
      if (unanswered.size > 0)
        throw new CairnError('NETWORK_ERROR', { message: 'The server ended the answer too early.' });
    } catch (error) {
      if (!ending.signal.aborted) await this.#fail(error, unanswered);
    } finally {
      for (const { id } of messages) if (this.#open.get(id ?? '')?.ending === ending) this.#open.delete(id ?? '');
    }
  }

  /** HTTP clients cancel by disconnecting: the message would go to the server as a separate request. */
  #cancel(messages: readonly Message[]): void {
    for (const message of messages) this.#open.get(idCancelled(message) ?? '')?.ending.abort();
  }

  async #answer(text: string, { messages, unanswered }: Asked): Promise<void> {
    const answers = messagesIn(text) ?? [];
    for (const answer of answers) {
      unanswered.delete(idAnswered(answer) ?? '');
      if (messages.some(({ method }) => method === 'initialize')) this.#agreed = versionAgreed(answer) ?? this.#agreed;
    }
    // The server refuses unreadable messages without an id.
    const refusal = answers.find(({ id, error }) => error !== undefined && !isId(id));
    if (refusal === undefined || unanswered.size === 0) return await this.#print(inOneLine(text));
    for (const id of unanswered) await this.#print(JSON.stringify({ ...refusal, id }));
    unanswered.clear();
  }

  async #fail(error: unknown, unanswered: ReadonlySet<MessageId>): Promise<void> {
    if (!(error instanceof CairnError)) throw error;
    const explained = this.#options.explain(error);
    this.#options.onFailure(explained);
    for (const id of unanswered) await this.#print(failureLine(id, explained));
  }

  async #print(line: string): Promise<void> {
    await this.#io.writeOut(Buffer.from(`${line}\n`));
  }

  endListening(): void {
    for (const { method, ending } of this.#open.values()) if (method === LISTENING) ending.abort();
  }

  endAll(): void {
    for (const { ending } of this.#open.values()) ending.abort();
  }
}

const DESCRIPTION = `Connects an MCP client that starts a local process to the server, with your credentials. Messages go
through standard input and output. Clients that connect to a URL do not need it: see docs/mcp.md.`;

export function addMcp(program: Command, io: Io): void {
  program
    .command('mcp')
    .summary('connect an AI client that starts a local process to the server')
    .description(DESCRIPTION.replaceAll('\n', ' '))
    .action(async (_: object, command: Command) => {
      const flags: GlobalFlags = command.optsWithGlobals();
      const { say, format } = openSession(io, command);
      const choice = chooseKnown(io, flags);
      const { url, tokenFrom } = choice;
      if (io.isTerminal)
        say('Waiting for MCP messages, one per line. Press Ctrl-C to stop. How clients use this: docs/mcp.md.');
      if (tokenFrom === undefined) {
        say(`You are not signed in to ${url}. You can read public repositories only. To sign in: cairn auth login.`);
      }
      await bridge(io, {
        server: { url, ...credentialsOf(choice, io.environment) },
        explain: (error) => withHint(choice, error),
        onFailure: (error) => printError({ io, format, look: errorLook(io, flags) }, error),
      });
    });
}
