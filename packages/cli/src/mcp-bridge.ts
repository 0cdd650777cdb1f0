// Carries MCP between standard streams and POST /mcp: each line that comes is one request, all of them at once, and each
// message of an answer is a line. Every request is answered, if only by why it could not be.
import { CairnError } from '@cairn/sdk';
import { splitFirst, wholeLines } from '@cairn/sdk/line';
import { type Io, isClosedPipe } from './io.ts';
import { exchange, type McpServer } from './mcp-exchange.ts';
import {
  failureLine,
  headersOf,
  idAnswered,
  idCancelled,
  idsAsked,
  inOneLine,
  isId,
  type Message,
  type MessageId,
  messagesIn,
  NO_JSON_LINE,
  versionAgreed,
} from './mcp-message.ts';

export interface BridgeOptions {
  readonly server: McpServer;
  /** Adds to a refusal what can be done about it here. */
  readonly explain: (error: CairnError) => CairnError;
  /** Told of each failure, also where nobody waits for an answer. */
  readonly onFailure: (error: CairnError) => void;
}

/** Until standard input ends and all is answered, or nobody reads the answers. */
export async function bridge(io: Io, options: BridgeOptions): Promise<void> {
  const carrier = new Carrier(io, options);
  const carried = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    // Nobody can be answered any more.
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
    // The last line need not have an end.
    let rest = done ? Buffer.concat([value, Buffer.from('\n')]) : value;
    while (rest.length > 0) {
      const [line, others] = splitFirst(rest);
      if (line.some((byte) => byte > SPACE)) yield line;
      rest = others;
    }
    if (done) return;
  }
}

/** And what ends lines, below it. */
const SPACE = 0x20;

/** Streams that go on until somebody ends them. */
const LISTENING = 'subscriptions/listen';

interface Asked {
  readonly messages: readonly Message[];
  /** Who still waits. */
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

  /** With HTTP, who does not want an answer hangs up: the message alone would reach another request of the server. */
  #cancel(messages: readonly Message[]): void {
    for (const message of messages) this.#open.get(idCancelled(message) ?? '')?.ending.abort();
  }

  async #answer(text: string, { messages, unanswered }: Asked): Promise<void> {
    const answers = messagesIn(text) ?? [];
    for (const answer of answers) {
      unanswered.delete(idAnswered(answer) ?? '');
      if (messages.some(({ method }) => method === 'initialize')) this.#agreed = versionAgreed(answer) ?? this.#agreed;
    }
    // What the server could not read it refuses without saying whose it was.
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
