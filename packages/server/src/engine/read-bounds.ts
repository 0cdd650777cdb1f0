// Time limit and cancellation for the scans of one request. Scans run in steps on shared threads or connections, and
// each step first checks both.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Reader } from './database.ts';

export interface Client {
  readonly destroyed: boolean;
}

class ReadBounds {
  readonly #client: Client;
  #until: number | undefined;
  #last: Promise<unknown> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Runs one step at a time, so that a batch of scans loads the shared threads no more than one scan does. */
  async runStep<Result>(step: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last ?? Promise.resolve()).then(() => {
      this.#check();
      return step();
    });
    this.#last = turn.catch(() => {});
    return await turn;
  }

  #check(): void {
    this.#until ??= performance.now() + WITHIN_MS;
    if (this.#client.destroyed)
      throw fail('UNAVAILABLE', { message: 'The client disconnected, so the read was stopped.' });
    if (performance.now() > this.#until) throw tooLong('Narrow it, or ask for less at once.');
  }
}

const current = new AsyncLocalStorage<Client>();
const boundsByClient = new WeakMap<Client, ReadBounds>();

export function withinBounds<Result>(client: Client | undefined, read: () => Result): Result {
  return client === undefined ? read() : current.run(client, read);
}

function boundsNow(): ReadBounds | undefined {
  const client = current.getStore();
  if (client === undefined) return undefined;
  const known = boundsByClient.get(client);
  if (known !== undefined) return known;
  const bounds = new ReadBounds(client);
  boundsByClient.set(client, bounds);
  return bounds;
}

export function boundedReader(reader: Reader): Reader {
  const runStep = <Result>(step: () => Promise<Result>) => boundsNow()?.runStep(step) ?? step();
  return {
    query: (sql, params) => runStep(() => reader.query(sql, params)),
    bulk: (statement, rows) => runStep(() => reader.bulk(statement, rows)),
    ...(reader.isDistributed && { isDistributed: reader.isDistributed.bind(reader) }),
  };
}

export async function withinTime<Result>(work: Promise<Result>, ms: number, toError: () => Error): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(toError()), ms);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

export const STEP_ROWS = 2_000;
const WITHIN_MS = 5_000;

export class LongRead {
  readonly #until = performance.now() + WITHIN_MS;
  readonly #advice: string;

  constructor(advice: string) {
    this.#advice = advice;
  }

  async turn(): Promise<void> {
    if (performance.now() > this.#until) throw tooLong(this.#advice);
    await giveTurn();
  }
}

export function giveTurn(): Promise<void> {
  return new Promise((turn) => setImmediate(turn));
}

export function tooLong(advice: string): CairnError {
  return fail('UNAVAILABLE', { message: `The read took too long. ${advice}` });
}

export async function inSteps<Item>(
  items: readonly Item[],
  take: (some: readonly Item[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += STEP_ROWS) {
    if (at > 0) await giveTurn();
    await take(items.slice(at, at + STEP_ROWS));
  }
}
