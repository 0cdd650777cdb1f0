// Shares the writer of one process with the other processes of the machine, over a private socket. Calls and answers
// are frames: a length of four bytes, then the value as V8 serializes it.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { fail } from '@cairn/protocol/errors';
import { type PlainError, packError, type Remote, stopped, unpackError } from './thread.ts';

/** The key proves to the writer that a process may use it. */
export interface WriterAddress {
  readonly path: string;
  readonly key: string;
}

interface WriterCall<Request> {
  readonly id: number;
  readonly request: Request;
}

type WriterAnswer<Result> = { readonly id: number } & ({ result: Result } | { error: PlainError });

const LENGTH_BYTES = 4;

function frame(value: unknown): Buffer {
  const body = serialize(value);
  const whole = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  whole.writeUInt32LE(body.length, 0);
  body.copy(whole, LENGTH_BYTES);
  return whole;
}

function readFrames(socket: Socket, onValue: (value: unknown) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  socket.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    length += chunk.length;
    for (;;) {
      if (length < LENGTH_BYTES) return;
      const first = concatParts(parts, LENGTH_BYTES);
      const end = LENGTH_BYTES + first.readUInt32LE(0);
      if (length < end) return;
      const whole = concatParts(parts, end);
      const rest = whole.subarray(end);
      parts = rest.length === 0 ? [] : [rest];
      length -= end;
      onValue(deserialize(whole.subarray(LENGTH_BYTES, end)));
    }
  });
}

/** Joins the chunks only when enough bytes have arrived, so that a large frame is copied once. */
function concatParts(parts: Buffer[], bytes: number): Buffer {
  const [first] = parts;
  if (first !== undefined && first.length >= bytes) return first;
  const whole = Buffer.concat(parts);
  parts.splice(0, parts.length, whole);
  return whole;
}

/** The temporary folder is readable by this user only. */
export function newWriterAddress(): WriterAddress & { remove(): void } {
  const key = randomBytes(32).toString('base64url');
  if (platform() === 'win32')
    return { key, path: `\\\\.\\pipe\\cairn-${randomBytes(16).toString('hex')}`, remove() {} };
  const folder = mkdtempSync(join(tmpdir(), 'cairn-'));
  return { key, path: join(folder, 'writer'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

interface WriterServer {
  close(): Promise<void>;
}

type Serve<Request, Result> = (request: Request) => Promise<Result>;

export async function serveWriter<Request, Result>(
  { path, key }: WriterAddress,
  serve: Serve<Request, Result>,
): Promise<WriterServer> {
  const working = new Set<Promise<void>>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // The caller is gone, but its work still completes.
    socket.on('error', () => socket.destroy());
    answerCalls(socket, key, (call: WriterCall<Request>) => {
      const work = answer(socket, serve, call).finally(() => working.delete(work));
      working.add(work);
    });
  });
  rmSync(path, { force: true });
  await listening(server, path);
  return {
    close: async () => {
      server.close();
      await Promise.all(working);
      for (const socket of sockets) socket.end();
    },
  };
}

function answerCalls<Request>(socket: Socket, key: string, onCall: (call: WriterCall<Request>) => void): void {
  let known = false;
  readFrames(socket, (value) => {
    if (known) onCall(value as WriterCall<Request>);
    else if (isKey(value, key)) known = true;
    else socket.destroy();
  });
}

function isKey(value: unknown, key: string): boolean {
  const [given, wanted] = [Buffer.from(String(value)), Buffer.from(key)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function answer<Request, Result>(
  socket: Socket,
  serve: Serve<Request, Result>,
  { id, request }: WriterCall<Request>,
): Promise<void> {
  const given: WriterAnswer<Result> = await serve(request).then(
    (result) => ({ id, result }),
    (error: unknown) => ({ id, error: packError(error) }),
  );
  if (socket.writable) socket.write(frame(given));
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

const CONNECT_WITHIN_MS = 10_000;
const CONNECT_EVERY_MS = 25;

interface Caller<Result> {
  readonly socket: Socket;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** If the writer's process dies, calls under way fail with an unknown outcome, and later calls wait for its restart. */
export class RemoteWriter<Request, Result> implements Remote<Request, Result> {
  readonly #address: WriterAddress;
  readonly #callers = new Map<number, Caller<Result>>();
  #connection: Promise<Socket> | undefined;
  #closed = false;
  #lastId = 0;
  #busySince = 0;
  #busyMs = 0;

  constructor(address: WriterAddress) {
    this.#address = address;
  }

  async call(request: Request): Promise<Result> {
    if (this.#closed) throw stopped();
    this.#connection ??= this.#connect();
    const socket = await this.#connection;
    const id = ++this.#lastId;
    const call = frame({ id, request } satisfies WriterCall<Request>);
    if (this.#callers.size === 0) this.#busySince = performance.now();
    return await new Promise<Result>((resolve, reject) => {
      this.#callers.set(id, { socket, resolve, reject });
      socket.write(call);
    });
  }

  get busyMs(): number {
    return this.#busyMs + (this.#callers.size === 0 ? 0 : performance.now() - this.#busySince);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const socket = await this.#connection?.catch(() => undefined);
    while (this.#callers.size > 0) await pause(CONNECT_EVERY_MS);
    socket?.end();
  }

  async #connect(): Promise<Socket> {
    const end = performance.now() + CONNECT_WITHIN_MS;
    for (;;) {
      try {
        return await this.#open();
      } catch (cause) {
        if (this.#closed || performance.now() > end) {
          this.#connection = undefined;
          throw fail('UNAVAILABLE', { message: 'The writer is away. Try again in a moment.', retryAfter: 1, cause });
        }
        await pause(CONNECT_EVERY_MS);
      }
    }
  }

  #open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#address.path);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        // A `close` event follows each error.
        socket.on('error', () => {});
        socket.once('close', () => this.#lose(socket));
        readFrames(socket, (answer) => this.#take(answer as WriterAnswer<Result>));
        socket.write(frame(this.#address.key));
        resolve(socket);
      });
    });
  }

  #take(answer: WriterAnswer<Result>): void {
    const caller = this.#callers.get(answer.id);
    this.#forget(answer.id);
    if ('error' in answer) caller?.reject(unpackError(answer.error));
    else caller?.resolve(answer.result);
  }

  #lose(socket: Socket): void {
    this.#connection = undefined;
    for (const [id, caller] of this.#callers) {
      if (caller.socket !== socket) continue;
      this.#forget(id);
      caller.reject(stopped());
    }
  }

  #forget(id: number): void {
    if (this.#callers.delete(id) && this.#callers.size === 0) this.#busyMs += performance.now() - this.#busySince;
  }
}
