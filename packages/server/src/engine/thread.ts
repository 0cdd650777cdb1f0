// Calls into a worker thread with plain data. The thread starts at the first call, also after it died. Loading its code
// is slow, so a closed thread stays ready for the next one of its kind.
import { platform, setPriority } from 'node:os';
import { basename } from 'node:path';
import { isMainThread, type MessagePort, parentPort, type ResourceLimits, Worker } from 'node:worker_threads';
import { CairnError, fail, isErrorCode } from '@cairn/protocol/errors';
import { collectSoon } from './heap.ts';

interface CallMessage<Request> {
  readonly id: number;
  readonly request: Request;
}

/** One message carries all calls or answers of an event-loop turn, because each message has a high fixed cost. */
type Message<Request> = { readonly open: unknown } | readonly CallMessage<Request>[] | 'close';
type AnswerMessage<Result> = { readonly id: number } & ({ result: Result } | { error: PlainError });

const CLOSE_WITHIN_MS = 3_000;
const IDLE_MAX = 4;

const idle = new Map<string, Worker[]>();

// One counter for all threads: a late answer must not match a call of another thread.
let lastId = 0;

interface Caller<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export function threadFile(path: string, from: string): URL {
  return from.endsWith('.ts') ? new URL(`${path}.ts`, from) : new URL(`${basename(path)}.js`, from);
}

interface ThreadOptions {
  /** Limits the heap: a thread that makes much garbage otherwise grows by tens of megabytes before it collects. */
  readonly resourceLimits?: ResourceLimits;
  /** The thread ends after this time without a call, because an idle one takes about 20 MB. */
  readonly restsAfterMs?: number;
}

export const RESTS_AFTER_MS = 30_000;

export class Thread<Request, Result> {
  readonly #file: URL;
  readonly #data: unknown;
  readonly #resourceLimits: ResourceLimits;
  readonly #restsAfterMs: number | undefined;
  readonly #callers = new Map<number, Caller<Result>>();
  #unsent: CallMessage<Request>[] = [];
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
    const id = ++lastId;
    if (this.#callers.size === 0) {
      this.#busySince = performance.now();
      this.#worker.ref();
    }
    if (this.#unsent.push({ id, request }) === 1) setImmediate(() => this.#send());
    return new Promise<Result>((resolve, reject) => this.#callers.set(id, { resolve, reject }));
  }

  #send(): void {
    const calls = this.#unsent;
    this.#unsent = [];
    postTogether(calls, (some) => this.#worker?.postMessage(some satisfies Message<Request>), this.#refuse);
  }

  readonly #refuse = ({ id }: CallMessage<Request>, error: unknown) => this.#take({ id, error: packError(error) });

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
    this.#send();
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
    worker.on('message', (answers: readonly AnswerMessage<Result>[] | 'closed') => {
      if (answers !== 'closed') for (const answer of answers) this.#take(answer);
    });
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

  rest(): void {
    clearTimeout(this.#restTimer);
    if (this.#callers.size === 0 && !this.#closed) this.#rest();
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
    this.#unsent = [];
    for (const caller of this.#callers.values()) caller.reject(stopped(cause));
    this.#callers.clear();
  }
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

function detach(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

export interface ThreadService<Request, Result> {
  serve(request: Request): Promise<Result>;
  /** Buffers of the result to transfer instead of copying, because the thread no longer needs them. */
  transfer?(result: Result): ArrayBuffer[];
  close(): Promise<void>;
}

export function serveThread<Data, Request, Result>(
  open: (data: Data) => ThreadService<Request, Result>,
  { yields = false }: { yields?: boolean } = {},
): void {
  const port = parentPort;
  if (isMainThread || port === null) throw new Error('This file runs as a worker thread only.');
  if (yields) goLast();
  collectSoon();
  const answers = new Answers<Result>(port);
  let service: ThreadService<Request, Result> | undefined;
  port.on('message', async (message: Message<Request>) => {
    if (message === 'close') {
      await service?.close();
      setImmediate(() => port.postMessage('closed'));
    } else if ('open' in message) {
      service = open(message.open as Data);
    } else if (service !== undefined) {
      for (const call of message) void answer(answers, service, call);
    }
  });
}

async function answer<Request, Result>(
  answers: Answers<Result>,
  service: ThreadService<Request, Result>,
  { id, request }: CallMessage<Request>,
): Promise<void> {
  try {
    const result = await service.serve(request);
    answers.add({ id, result }, service.transfer?.(result));
  } catch (error) {
    answers.add({ id, error: packError(error) });
  }
}

class Answers<Result> {
  readonly #port: MessagePort;
  #unsent: AnswerMessage<Result>[] = [];
  #moved: ArrayBuffer[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
  }

  add(answer: AnswerMessage<Result>, moved: readonly ArrayBuffer[] = []): void {
    this.#moved.push(...moved);
    if (this.#unsent.push(answer) === 1) process.nextTick(() => this.#send());
  }

  #send(): void {
    const [answers, moved] = [this.#unsent, this.#moved];
    [this.#unsent, this.#moved] = [[], []];
    const refuse = ({ id }: AnswerMessage<Result>, error: unknown) =>
      this.#port.postMessage([{ id, error: packError(error) }]);
    postTogether(answers, (some) => this.#port.postMessage(some, moved), refuse);
  }
}

function postTogether<Item>(
  items: readonly Item[],
  post: (items: readonly Item[]) => void,
  refuse: (item: Item, error: unknown) => void,
): void {
  try {
    if (items.length > 0) post(items);
  } catch (error) {
    if (items.length === 1) for (const item of items) refuse(item, error);
    else for (const item of items) postTogether([item], post, refuse);
  }
}

const LOW_PRIORITY = 10;

/** On Linux each thread has its own priority; elsewhere this would lower the whole process. */
function goLast(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(0, LOW_PRIORITY);
  } catch {
    // Without the permission, threads share the processors evenly.
  }
}

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

// Structured clone keeps only `message` and `stack` of an error, and ours carry more.
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

export function stopped(cause?: unknown): CairnError {
  return fail('UNAVAILABLE', {
    message: 'The server is stopping, or restarting a part of itself. Try again.',
    // The worker may have died before or after its work became durable.
    details: { outcome: 'unknown' },
    retryAfter: 1,
    cause,
  });
}
