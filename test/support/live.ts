// Live streams as a client receives them: a real server, a real socket, and the events in their order.
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { LiveInvalidate } from '@cairn/protocol/stream';
import { onTestFinished } from 'vitest';
import type { Engine, StoreLocation } from '../../packages/server/src/engine/database.ts';
import type { LivePace } from '../../packages/server/src/live/hub.ts';
import { type CallProcedure, caller } from './procedure.ts';
import { createOwnerToken, createTestAppOn, type TestApp } from './server.ts';
import { openStoreAt, preparedLocation } from './store.ts';

export const WORLD = { orgName: 'acme', repoName: 'world' };

export interface LiveWorld extends TestApp {
  readonly location: StoreLocation;
  readonly url: string;
  readonly token: string;
  readonly owner: CallProcedure;
  readonly commit: (operations: object[]) => Promise<number>;
}

interface LiveWorldOptions {
  readonly settings?: Record<string, string>;
  readonly pace?: Partial<LivePace>;
}

export async function createLiveWorld(engine: Engine, { settings, pace }: LiveWorldOptions = {}): Promise<LiveWorld> {
  const location = await preparedLocation(engine);
  const test = createTestAppOn(await openStoreAt(location), settings, pace);
  const token = await createOwnerToken(test.store);
  const owner = caller(test.app, token);
  await owner('org.create', { name: 'acme' });
  await owner('repo.create', { orgName: 'acme', name: 'world' });
  const commit = async (operations: object[]) =>
    (await owner('commit.submit', { ...WORLD, operations })).data().repoSeq;
  await commit([{ kind: 'shape', name: 'Signal', data: { fields: { level: 'number?' } } }]);
  return { ...test, location, url: await serve(test), token, owner, commit };
}

export const signal = (name: string) => ({ name: `Signal/${name}`, data: { level: 1 } });

export async function serve({ app }: Pick<TestApp, 'app'>): Promise<string> {
  const server = createServer({ joinDuplicateHeaders: true }, app.listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface LiveEvent {
  readonly event: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what they expect.
  readonly data: any;
}

export interface LiveOptions {
  readonly ticket: string;
  readonly lastEventId?: string;
}

export class LiveClient {
  readonly answer: IncomingMessage;
  readonly #events: LiveEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #parsed = 0;
  text = '';
  ended = false;

  static async open(url: string, { ticket, lastEventId }: LiveOptions): Promise<LiveClient> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const request = get(`${url}/sse?ticket=${ticket}`, { headers, agent: false });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).once('error', reject);
    });
    onTestFinished(() => {
      request.destroy();
    });
    return new LiveClient(answer);
  }

  private constructor(answer: IncomingMessage) {
    this.answer = answer;
    const changed = () => {
      for (const wake of this.#waiting.splice(0)) wake();
    };
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      this.text += text;
      this.#parse();
      changed();
    });
    answer.on('error', () => {});
    answer.on('close', () => {
      this.ended = true;
      changed();
    });
  }

  get socket(): Socket {
    return this.answer.socket;
  }

  /** The next event not taken yet. Fails if the stream ends first. */
  async next(): Promise<LiveEvent> {
    await this.until(() => this.#events.length > this.#taken || this.ended);
    const event = this.#events[this.#taken++];
    if (event === undefined) throw new Error(`the stream ended after: ${this.text}`);
    return event;
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((wake) => this.#waiting.push(wake));
  }

  get pending(): readonly LiveEvent[] {
    return this.#events.slice(this.#taken);
  }

  close(): void {
    this.answer.destroy();
  }

  #parse(): void {
    for (let end = this.text.indexOf('\n\n', this.#parsed); end !== -1; end = this.text.indexOf('\n\n', this.#parsed)) {
      const block = this.text.slice(this.#parsed, end);
      this.#parsed = end + 2;
      // Comments and reconnection times are not events.
      if (/^data:/m.test(block)) this.#events.push(parseEvent(block));
    }
  }
}

function parseEvent(block: string): LiveEvent {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  return { event: fields.get('event') ?? '', id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') };
}

export async function ticketOf(call: CallProcedure, address = WORLD): Promise<string> {
  return (await call('live.issueTicket', address)).data().ticket;
}

export async function listen(url: string, call: CallProcedure, lastEventId?: string): Promise<LiveClient> {
  const client = await LiveClient.open(url, {
    ticket: await ticketOf(call),
    ...(lastEventId !== undefined && { lastEventId }),
  });
  const { event } = await client.next();
  if (event !== 'ready') throw new Error(`the first event was ${event}`);
  return client;
}

export function namesIn({ data }: LiveEvent): Record<'shapes' | 'records' | 'targets', string[]> {
  const { affectedShapes, affectedRecords, affectedTargets } = data as LiveInvalidate;
  const [shapes, records, targets] = [affectedShapes, affectedRecords, affectedTargets].map((names) =>
    names.toSorted(),
  );
  return { shapes: shapes ?? [], records: records ?? [], targets: targets ?? [] };
}
