// Proxy between a server and PostgreSQL that counts the round trips for which the server waits: statements sent after
// the answer to the previous one. Statements that travel together, on one connection or several, count as one round
// trip. The server's own work is left out, because no request waits for it: checks of work queues, notices to other
// servers, permits and uses of tokens, and all writes of the search index.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Statements that belong to no request, on any connection. */
const BY_ITSELF = /\bfrom work\b[^;]*\bdue_at\b|\bpg_notify\b|\brate_bucket\b|\bused_at\b/;
/** A connection with such a statement serves no requests. */
const OF_SEARCH_INDEX = /\b(insert into|update|delete from) search_(state|document)\b/;

const ANSWERED_AFTER_MS = 10;

export interface CountedWire {
  /** Address of the same database through this proxy. */
  readonly url: string;
  count(): number;
  close(): void;
}

export async function countWire(url: string): Promise<CountedWire> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let trips = 0;
  const server = createServer((near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    let isOfRequests = true;
    /** Round trip of each unanswered statement; 0 for statements that are left out. */
    const sent: number[] = [];
    const messages = new ClientMessages((sql) => {
      if (OF_SEARCH_INDEX.test(sql)) isOfRequests = false;
      sent.push(isOfRequests && !BY_ITSELF.test(sql) ? trips + 1 : 0);
    });
    const answers = new ServerMessages(() => {
      trips = Math.max(trips, sent.shift() ?? 0);
    });
    near.on('data', (bytes) => messages.read(bytes));
    // A client that does not wait for the answer sends its next statement well before this delay ends.
    far.on('data', (bytes) => {
      setTimeout(() => {
        answers.read(bytes);
        near.write(bytes);
      }, ANSWERED_AFTER_MS);
    });
    near.setNoDelay(true);
    near.pipe(far);
    far.on('end', () => setTimeout(() => near.end(), ANSWERED_AFTER_MS));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: through.href, count: () => trips, close };
}

/** A message is a letter and a length of four bytes, which excludes the letter. The first message has no letter. */
const LETTER_BYTES = 1;
const LENGTH_BYTES = 4;
const PARSE = 'P';
const BIND = 'B';
const SYNC = 'S';
const SIMPLE_QUERY = 'Q';
const READY = 'Z';

/** Finds messages in bytes that may be split anywhere. */
abstract class Messages {
  #bytes = Buffer.alloc(0);
  #letterBytes: number;

  constructor(letterBytes: number) {
    this.#letterBytes = letterBytes;
  }

  protected abstract hear(letter: string, message: Buffer): void;

  read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (let length = this.#whole(); length !== undefined; length = this.#whole()) {
      const message = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      if (this.#letterBytes > 0) this.hear(message.toString('latin1', 0, LETTER_BYTES), message);
      this.#letterBytes = LETTER_BYTES;
    }
  }

  /** Length of the next message, or undefined if it is incomplete. */
  #whole(): number | undefined {
    if (this.#bytes.length < this.#letterBytes + LENGTH_BYTES) return undefined;
    const length = this.#letterBytes + this.#bytes.readUInt32BE(this.#letterBytes);
    return this.#bytes.length < length ? undefined : length;
  }
}

export class ClientMessages extends Messages {
  readonly #ran: (sql: string) => void;
  readonly #prepared = new Map<string, string>();
  #bound = '';

  constructor(ran: (sql: string) => void) {
    super(0);
    this.#ran = ran;
  }

  protected hear(letter: string, message: Buffer): void {
    const [first = '', second = ''] = message.toString('utf8', LETTER_BYTES + LENGTH_BYTES).split('\0');
    if (letter === PARSE) this.#prepared.set(first, second);
    if (letter === BIND) this.#bound = this.#prepared.get(second) ?? '';
    if (letter === SIMPLE_QUERY) this.#ran(first);
    if (letter === SYNC) this.#ran(this.#bound);
  }
}

class ServerMessages extends Messages {
  readonly #answered: () => void;

  constructor(answered: () => void) {
    super(LETTER_BYTES);
    this.#answered = answered;
  }

  protected hear(letter: string): void {
    if (letter === READY) this.#answered();
  }
}
