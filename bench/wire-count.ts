// Stands between a server and PostgreSQL, passes everything on, and counts the statements that the server waits for. What it
// does by itself is left out: looks at the queues of work, notices to other servers, and all that the search index writes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Statements that belong to no request, whichever connection they come on. */
const BY_ITSELF = /\bfrom work\b[^;]*\bdue_at\b|\bpg_notify\b/;
/** What is sent on a connection that no request uses. */
const OF_SEARCH_INDEX = /\b(insert into|update|delete from) search_(state|document)\b/;

export interface CountedWire {
  /** Of the same database, through here. */
  readonly url: string;
  count(): number;
  close(): void;
}

export async function countWire(url: string): Promise<CountedWire> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let statements = 0;
  const server = createServer((near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    let isOfRequests = true;
    const messages = new ClientMessages((sql) => {
      if (OF_SEARCH_INDEX.test(sql)) isOfRequests = false;
      if (isOfRequests && !BY_ITSELF.test(sql)) statements++;
    });
    near.on('data', (bytes) => messages.read(bytes));
    near.setNoDelay(true);
    near.pipe(far);
    far.pipe(near);
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
  return { url: through.href, count: () => statements, close };
}

/** Of a message: a letter, and four bytes that say how long it is, the letter aside. The first message has no letter. */
const LETTER_BYTES = 1;
const LENGTH_BYTES = 4;
const PARSE = 'P';
const BIND = 'B';
const SIMPLE_QUERY = 'Q';

/** Finds the statements in the bytes of a client, which are cut anywhere. */
export class ClientMessages {
  readonly #ran: (sql: string) => void;
  /** By the name that the client gave to it. */
  readonly #prepared = new Map<string, string>();
  #bytes = Buffer.alloc(0);
  #letterBytes = 0;

  constructor(ran: (sql: string) => void) {
    this.#ran = ran;
  }

  read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (let length = this.#whole(); length !== undefined; length = this.#whole()) {
      const message = this.#bytes.subarray(0, length);
      this.#bytes = this.#bytes.subarray(length);
      if (this.#letterBytes > 0) this.#hear(message);
      this.#letterBytes = LETTER_BYTES;
    }
  }

  /** How long the next message is, if all of it is there. */
  #whole(): number | undefined {
    if (this.#bytes.length < this.#letterBytes + LENGTH_BYTES) return undefined;
    const length = this.#letterBytes + this.#bytes.readUInt32BE(this.#letterBytes);
    return this.#bytes.length < length ? undefined : length;
  }

  #hear(message: Buffer): void {
    const texts = message.toString('utf8', LETTER_BYTES + LENGTH_BYTES).split('\0');
    const [first = '', second = ''] = texts;
    const letter = message.toString('latin1', 0, LETTER_BYTES);
    if (letter === PARSE) this.#prepared.set(first, second);
    if (letter === BIND) this.#ran(this.#prepared.get(second) ?? '');
    if (letter === SIMPLE_QUERY) this.#ran(first);
  }
}
