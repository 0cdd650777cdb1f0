// A webhook receiver that sometimes fails: it refuses, hangs up, is slow, or reports back later. Accepted deliveries
// are compared with what was sent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../support/random.ts';
import { contentOf, keyIn } from './content.ts';
import type { Finding, Findings } from './finding.ts';
import type { RepositoryModel } from './repository-model.ts';

interface ToldOperation {
  readonly operation: string;
  readonly wref: string;
  readonly version: number;
  readonly data?: unknown;
}

export interface Delivery {
  readonly runId: string;
  readonly subscriptionName: string;
  readonly repoSeq: number;
  readonly matchedOperations: readonly ToldOperation[];
}

export interface ReceiverOptions {
  readonly findings: Findings;
  readonly random: Random;
  /** Reports the end of a run that was answered with 202. */
  readonly report: (runId: string) => Promise<void>;
}

const LATE_MS = 500;
/** Weighted by repetition. One in FAULT_ONCE_IN deliveries fails; the others are accepted. */
const FAULTS = ['refuse', 'refuse', 'hang up', 'late', 'later'] as const;
const FAULT_ONCE_IN = 8;

export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #server: Server;
  readonly #models = new Map<string, RepositoryModel>();
  /** Accepted sequences by repository and subscription. */
  readonly #taken = new Map<string, Set<number>>();
  #isFailing = true;
  readonly counts = { received: 0, failed: 0 };

  private constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  static async start(options: ReceiverOptions): Promise<Receiver> {
    const receiver = new Receiver(options);
    await new Promise<void>((ready) => receiver.#server.listen(0, '127.0.0.1', ready));
    return receiver;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  urlFor(model: RepositoryModel): string {
    this.#models.set(model.repoName, model);
    return `http://${this.address}/${model.repoName}`;
  }

  stopFailing(): void {
    this.#isFailing = false;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      this.counts.received += 1;
      const delivery = JSON.parse(Buffer.concat(chunks).toString()) as Delivery;
      const model = this.#models.get((request.url ?? '').slice(1));
      if (model !== undefined) await this.#answer(response, { model, delivery });
    } catch {
      // The sender was killed during the request and will send it again.
      response.destroy();
    }
  }

  async #answer(response: ServerResponse, told: { model: RepositoryModel; delivery: Delivery }): Promise<void> {
    const { random, report } = this.#options;
    const fault = this.#isFailing && random.once(FAULT_ONCE_IN) ? random.pick(FAULTS) : undefined;
    if (fault === 'refuse' || fault === 'hang up') {
      this.counts.failed += 1;
      if (fault === 'refuse') response.writeHead(503).end();
      else response.destroy();
      return;
    }
    if (fault === 'late') await pause(LATE_MS);
    this.take(told);
    response.writeHead(fault === 'later' ? 202 : 200).end();
    if (fault === 'later') await report(told.delivery.runId);
  }

  take({ model, delivery }: { model: RepositoryModel; delivery: Delivery }): void {
    const { repoSeq, subscriptionName, matchedOperations } = delivery;
    const key = `${model.name} ${subscriptionName}`;
    const taken = this.#taken.get(key) ?? new Set<number>();
    this.#taken.set(key, taken.add(repoSeq));
    for (const told of matchedOperations) this.#options.findings.addFinding(problemIn(model, told, repoSeq));
  }

  missing({ name, head }: RepositoryModel, { subscription, since }: { subscription: string; since: number }): number[] {
    const taken = this.#taken.get(`${name} ${subscription}`) ?? new Set<number>();
    return Array.from({ length: head - since }, (_, n) => since + 1 + n).filter((seq) => !taken.has(seq));
  }
}

/** Expects that the data in a delivery equals the data sent for that commit. */
function problemIn(model: RepositoryModel, told: ToldOperation, repoSeq: number): Finding | undefined {
  if (told.data === undefined) return undefined;
  const said = `${model.name}: at ${repoSeq} a delivery told ${JSON.stringify(told)}`;
  const key = keyIn(told.data) ?? '';
  const version = model.records.get(key)?.versions[told.version - 1];
  if (version === undefined) return { kind: 'phantom', sentence: `${said}, which was never sent` };
  const isAsSent = isDeepStrictEqual(told.data, contentOf(key, version.n));
  if (isAsSent && repoSeq > version.after && repoSeq <= version.upTo) return undefined;
  return { kind: 'delivery', sentence: `${said}, which was sent as ${JSON.stringify(version)}` };
}
