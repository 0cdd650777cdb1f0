// Calls into a worker thread and its answers: plain data both ways. The thread is started at the first call, and again
// at the next call after it died. To load the code of a thread takes longer than all else that opening a store does: one
// that is closed is kept, and opened anew for whoever needs one of its kind next.
import { platform, setPriority } from 'node:os';
import { basename } from 'node:path';
import { isMainThread, type MessagePort, parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { CairnError, fail, isErrorCode } from '@cairn/protocol/errors';

/** Work that is done elsewhere, on plain data: by a thread of this process, or by another process. */
export interface Remote<Request, Result> {
  call(request: Request): Promise<Result>;
  /** For how long there was something to do, since the beginning. */
  readonly busyMs: number;
  close(): Promise<void>;
}

interface CallMessage<Request> {
  readonly id: number;
  readonly request: Request;
}

type Message<Request> = { readonly open: unknown } | CallMessage<Request> | 'close';
type AnswerMessage<Result> = { readonly id: number } & ({ result: Result } | { error: PlainError });

const CLOSE_WITHIN_MS = 3_000;
const IDLE_MAX = 4;

/** Closed and ready to be opened again, by their file. */
const idle = new Map<string, Worker[]>();

// Counted for all threads together: an answer that comes late must not be taken for that of another.
let lastId = 0;

interface Caller<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Finds the file of a thread from the module that starts it. The published package has all files in one folder. */
export function threadFile(path: string, from: string): URL {
  return from.endsWith('.ts') ? new URL(`${path}.ts`, from) : new URL(`${basename(path)}.js`, from);
}

interface ThreadOptions {
  /** Of the heap. A thread that makes much garbage takes tens of megabytes more before it is collected, if it may. */
  readonly resourceLimits?: ResourceLimits;
  /** After so long without a call it is ended, until the next one: an idle thread takes some 20 MB. */
  readonly restsAfterMs?: number;
}

/** For those that are needed now and then. */
export const RESTS_AFTER_MS = 30_000;

export class Thread<Request, Result> implements Remote<Request, Result> {
  readonly #file: URL;
  readonly #data: unknown;
  readonly #resourceLimits: ResourceLimits;
  readonly #restsAfterMs: number | undefined;
  readonly #callers = new Map<number, Caller<Result>>();
  #worker: Worker | undefined;
  #closed = false;
  #restTimer: NodeJS.Timeout | undefined;
  #busySince = 0;
  #busyMs = 0;

  constructor(file: URL, data: unknown, { resourceLimits = {}, restsAfterMs }: ThreadOptions = {}) {
    this.#restsAfterMs = restsAfterMs;
    this.#file = file;
    this.#data = data;
    this.#resourceLimits = resourceLimits;
  }

  call(request: Request): Promise<Result> {
    if (this.#closed) return Promise.reject(stopped());
    clearTimeout(this.#restTimer);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++lastId;
    if (this.#callers.size === 0) this.#busySince = performance.now();
    return new Promise<Result>((resolve, reject) => {
      this.#callers.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, request } satisfies CallMessage<Request>);
    });
  }

  /** Lets the calls in hand finish first; what does not finish in time is cut. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restTimer);
    const worker = this.#worker;
    if (worker === undefined) return;
    const cut = setTimeout(() => void worker.terminate(), CLOSE_WITHIN_MS);
    const closed = new Promise<boolean>((done) => {
      worker.once('exit', () => done(false));
      worker.on('message', (message) => message === 'closed' && done(true));
    });
    worker.ref();
    worker.postMessage('close' satisfies Message<Request>);
    const isReady = await closed;
    clearTimeout(cut);
    this.#abandon(worker, undefined);
    if (isReady) keep(this.#file, worker);
  }

  get callCount(): number {
    return this.#callers.size;
  }

  get busyMs(): number {
    return this.#busyMs + (this.#callers.size === 0 ? 0 : performance.now() - this.#busySince);
  }

  #start(): Worker {
    const kept = idle.get(this.#file.href)?.pop();
    if (kept !== undefined) detach(kept);
    const worker = kept ?? new Worker(this.#file, { resourceLimits: this.#resourceLimits });
    worker.on('message', (answer: AnswerMessage<Result> | 'closed') => answer !== 'closed' && this.#take(answer));
    worker.on('error', (error) => this.#abandon(worker, error));
    worker.on('exit', () => this.#abandon(worker, undefined));
    worker.postMessage({ open: this.#data } satisfies Message<Request>);
    worker.unref();
    return worker;
  }

  #take(answer: AnswerMessage<Result>): void {
    const caller = this.#callers.get(answer.id);
    this.#callers.delete(answer.id);
    if (this.#callers.size === 0) this.#busyMs += performance.now() - this.#busySince;
    // An idle thread must not keep the process alive.
    if (this.#callers.size === 0 && !this.#closed) this.#idle();
    if ('error' in answer) caller?.reject(unpackError(answer.error));
    else caller?.resolve(answer.result);
  }

  #idle(): void {
    this.#worker?.unref();
    if (this.#restsAfterMs !== undefined) this.#restTimer = setTimeout(() => this.#rest(), this.#restsAfterMs).unref();
  }

  #rest(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.on('message', (message) => message === 'closed' && void worker.terminate());
    worker?.postMessage('close' satisfies Message<Request>);
  }

  #abandon(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const caller of this.#callers.values()) caller.reject(stopped(cause));
    this.#callers.clear();
  }
}

/** Loads the code of a thread before anybody needs one. */
export function prepareThread(file: URL, { resourceLimits = {} }: ThreadOptions = {}): void {
  keep(file, new Worker(file, { resourceLimits }));
}

/** Ends those that nobody has opened. */
export function endIdleThreads(): void {
  for (const workers of idle.values()) for (const worker of workers.splice(0)) void worker.terminate();
}

function keep(file: URL, worker: Worker): void {
  detach(worker);
  const kept = idle.get(file.href) ?? [];
  idle.set(file.href, kept);
  if (kept.length === IDLE_MAX) {
    void worker.terminate();
    return;
  }
  const forget = () => idle.set(file.href, idle.get(file.href)?.filter((other) => other !== worker) ?? []);
  worker.on('error', forget);
  worker.on('exit', forget);
  worker.unref();
  kept.push(worker);
}

/** From who had it before. The listeners that a worker has of itself stay. */
function detach(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

/** What a thread does from when it is opened until it is closed. */
export interface ThreadService<Request, Result> {
  serve(request: Request): Promise<Result>;
  /** What of a result need not be copied, because the thread has no more use for it. */
  transfer?(result: Result): ArrayBuffer[];
  /** When the calls in hand are finished. */
  close(): Promise<void>;
}

interface ServeOptions {
  /** Whether others go first where there are not enough processors for all. */
  readonly yields?: boolean;
}

/** The thread's side: answers each call with what the service gives that `open` made. */
export function serveThread<Data, Request, Result>(
  open: (data: Data) => ThreadService<Request, Result>,
  { yields = false }: ServeOptions = {},
): void {
  const port = parentPort;
  if (isMainThread || port === null) throw new Error('This file runs as a worker thread only.');
  if (yields) goLast();
  let service: ThreadService<Request, Result> | undefined;
  port.on('message', async (message: Message<Request>) => {
    if (message === 'close') {
      await service?.close();
      port.postMessage('closed');
    } else if ('open' in message) {
      service = open(message.open as Data);
    } else if (service !== undefined) {
      await answer(port, service, message);
    }
  });
}

async function answer<Request, Result>(
  port: MessagePort,
  service: ThreadService<Request, Result>,
  { id, request }: CallMessage<Request>,
): Promise<void> {
  try {
    const result = await service.serve(request);
    port.postMessage({ id, result } satisfies AnswerMessage<Result>, service.transfer?.(result) ?? []);
  } catch (error) {
    port.postMessage({ id, error: packError(error) } satisfies AnswerMessage<Result>);
  }
}

const LOW_PRIORITY = 10;

/** On Linux a thread has a priority of its own; elsewhere it would be that of the whole process. */
function goLast(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(0, LOW_PRIORITY);
  } catch {
    // Where the system forbids it, they share the processors evenly.
  }
}

// Errors as plain data, for those who answer from another thread or another process.

export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  readonly details: unknown;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;
  readonly cause: PlainError | undefined;
}

// Structured clone keeps only `message` and `stack` of an error; ours carry more.
export function packError(error: unknown): PlainError {
  const source = error instanceof Error ? error : new Error(String(error));
  const fields = source instanceof CairnError ? source : undefined;
  return {
    name: source.name,
    message: source.message,
    stack: source.stack,
    code: 'code' in source ? source.code : undefined,
    details: fields?.details,
    hint: fields?.hint,
    retryAfter: fields?.retryAfter,
    // For the log, which is written elsewhere.
    cause: source.cause instanceof Error ? packError(source.cause) : undefined,
  };
}

export function unpackError(error: PlainError): Error {
  const { name, message, stack, code, details, hint, retryAfter } = error;
  const cause = error.cause && unpackError(error.cause);
  if (name === 'CairnError' && isErrorCode(code)) {
    return fail(code, {
      message,
      ...(details !== undefined && { details }),
      ...(hint !== undefined && { hint }),
      ...(retryAfter !== undefined && { retryAfter }),
      cause,
    });
  }
  return Object.assign(new Error(message, cause && { cause }), { name, stack, ...(code !== undefined && { code }) });
}

/** For calls whose answer will not come any more. */
export function stopped(cause?: unknown): CairnError {
  return fail('UNAVAILABLE', {
    message: 'The server is stopping or restarting a part of itself. Try again.',
    // Who did the work may have died before or after its work was durable.
    details: { outcome: 'unknown' },
    retryAfter: 1,
    cause,
  });
}

// One piece of work at a time for each key, in the order in which they came; different keys do not wait for each other.

export class Turns<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  take<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work);
    // Kept whether it succeeds or fails: the next in line waits for its end, and does not care how it ended.
    const settled: Promise<void> = mine.then(ignore, ignore).then(() => this.#forget(key, settled));
    this.#last.set(key, settled);
    return mine;
  }

  #forget(key: Key, settled: Promise<unknown>): void {
    if (this.#last.get(key) === settled) this.#last.delete(key);
  }
}

function ignore(): void {}
