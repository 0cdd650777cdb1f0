// The writer as processes have it that do not own it: each call goes to the one that does. That one may die and come back;
// calls that it had in hand are refused, since nobody knows what became of them, and later ones wait for it a while.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fail } from '@cairn/protocol/errors';
import { stopped, unpackError } from './plain-error.ts';
import type { Remote } from './thread.ts';
import { frame, readFrames, type WriterAddress, type WriterAnswer, type WriterCall } from './writer-socket.ts';

const CONNECT_WITHIN_MS = 10_000;
const CONNECT_EVERY_MS = 25;

interface Caller<Result> {
  readonly socket: Socket;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

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

  /** The other process goes on; what is in hand here is waited for. */
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
        // What follows is a close.
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
