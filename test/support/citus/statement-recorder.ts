// Preloaded (`--import`) into every process and thread of a run. It records all messages to PostgreSQL at the socket,
// so that no statement of the server is missed. It notes each statement once, and each distinct set of statements in a
// transaction. Each thread writes a file of lines to the folder in CAIRN_TEST_STATEMENTS.
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const PROTOCOL_3 = 196_608;
const EMPTY_DATABASE = 'cairn_empty_';

const folder = process.env.CAIRN_TEST_STATEMENTS;
const known = new Set<string>();

export type Noted = { readonly sql: string } | { readonly transaction: readonly string[] };

function note(noted: Noted): void {
  const line = JSON.stringify(noted);
  if (folder === undefined || known.has(line)) return;
  known.add(line);
  appendFileSync(join(folder, `${process.pid}-${threadId}.ndjson`), `${line}\n`);
}

/** The outgoing messages of one connection, after the startup message. */
class Connection {
  readonly #prepared = new Map<string, string>();
  #transaction: Set<string> | undefined;
  #rest: Buffer = Buffer.alloc(0);

  add(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= 5) {
      const length = 1 + this.#rest.readUInt32BE(1);
      if (this.#rest.length < length) return;
      this.#message(this.#rest.toString('latin1', 0, 1), this.#rest.subarray(5, length));
      this.#rest = this.#rest.subarray(length);
    }
  }

  #message(kind: string, body: Buffer): void {
    const [first = '', second = ''] = kind === 'P' || kind === 'B' || kind === 'Q' ? textsOf(body) : [];
    if (kind === 'P') this.#prepared.set(first, second);
    if (kind === 'B') this.#run(this.#prepared.get(second) ?? '');
    if (kind === 'Q') this.#run(first);
  }

  #run(sql: string): void {
    const [word = ''] = sql.trim().toLowerCase().split(/\s/, 1);
    if (word === 'begin') this.#transaction = new Set();
    else if (word === 'commit' || word === 'rollback') this.#end();
    else if (word !== '') {
      note({ sql });
      this.#transaction?.add(sql);
    }
  }

  #end(): void {
    if (this.#transaction !== undefined) note({ transaction: [...this.#transaction].sort() });
    this.#transaction = undefined;
  }
}

/** The zero-terminated strings at the start of a message. */
function textsOf(body: Buffer): string[] {
  const first = body.indexOf(0);
  const second = body.indexOf(0, first + 1);
  return [body.toString('utf8', 0, first), body.toString('utf8', first + 1, second === -1 ? first + 1 : second)];
}

const connections = new WeakMap<Socket, Connection | 'other'>();

function hear(socket: Socket, chunk: unknown): void {
  if (!(chunk instanceof Uint8Array)) return;
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const connection = connections.get(socket);
  if (connection === undefined) connections.set(socket, isStart(bytes) ? new Connection() : 'other');
  else if (connection !== 'other') connection.add(bytes);
}

/** Tests that get an empty database do not distribute it, so the rules do not apply to its statements. */
const isStart = (bytes: Buffer) =>
  bytes.length >= 8 &&
  bytes.readUInt32BE(0) === bytes.length &&
  bytes.readUInt32BE(4) === PROTOCOL_3 &&
  !bytes.includes(EMPTY_DATABASE);

if (folder !== undefined) {
  const write = Socket.prototype.write as (this: Socket, ...args: unknown[]) => boolean;
  Socket.prototype.write = function (this: Socket, ...args: unknown[]): boolean {
    hear(this, args[0]);
    return write.apply(this, args);
  } as typeof Socket.prototype.write;
}
