// Streaming submissions over real sockets: a repository that accepts them, and uploads in small steps.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import type { ErrorFields } from '@cairn/protocol/errors';
import type { PROCEDURES, ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { StreamLine } from '@cairn/protocol/stream';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { createOwnerToken, startTestServer } from './server.ts';

export const WORLD = { orgName: 'ada', repoName: 'world' };

type Name = keyof typeof PROCEDURES;
export type CallServer = <Called extends Name>(
  name: Called,
  input: ProcedureInput<Called>,
) => Promise<ProcedureOutput<Called>>;

export interface SubmissionServer {
  readonly url: string;
  readonly store: Store;
  readonly token: string;
  readonly call: CallServer;
  stop(): Promise<void>;
}

export async function startSubmissions(
  engine: Engine,
  environment: Record<string, string> = {},
): Promise<SubmissionServer> {
  const { url, store, stop } = await startTestServer(engine, environment);
  const token = await createOwnerToken(store);
  const call = callerOn(url, token);
  await call('repo.create', { orgName: 'ada', name: 'world' });
  await call('shape.create', { ...WORLD, name: 'Room', fields: {} });
  return { url, store, token, call, stop };
}

function callerOn(url: string, token: string): CallServer {
  return async (name, input) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/trpc/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    const body = await answer.text();
    if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${body}`);
    return JSON.parse(body).result.data;
  };
}

export const room = (name: string | number) => `{"name":"Room/${name}","data":{}}\n`;

export const rooms = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => room(from + n)).join('');

export async function countRooms(call: CallServer): Promise<number> {
  return (await call('thing.count', { ...WORLD, shape: 'Room' })).count;
}

export interface UploadOptions {
  readonly token: string;
  readonly streamId?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

export class Upload {
  readonly request: ClientRequest;
  readonly answer: Promise<IncomingMessage>;
  #lines: AsyncIterator<string> | undefined;

  constructor(url: string, { token, streamId = 's', query = '', headers = {} }: UploadOptions) {
    this.request = request(`${url}/api/repos/ada/world/streams/${streamId}/submissions${query}`, {
      method: 'POST',
      // A separate connection that stays open after the answer, because bytes may still be in transit.
      agent: new Agent({ keepAlive: true }),
      headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}`, ...headers },
    });
    this.answer = new Promise((resolve, reject) => {
      this.request.on('response', resolve);
      // Errors after the start of the answer are normal: a server that refuses the rest stops reading.
      this.request.on('error', reject);
    });
    this.answer.catch(() => {});
    this.request.flushHeaders();
    onTestFinished(() => void this.request.destroy());
  }

  send(bytes: string | Uint8Array): this {
    this.request.write(bytes);
    return this;
  }

  end(bytes?: string | Uint8Array): this {
    this.request.end(bytes);
    return this;
  }

  async status(): Promise<number> {
    return (await this.answer).statusCode ?? 0;
  }

  async next(): Promise<StreamLine | undefined> {
    const input = await this.answer;
    this.#lines ??= createInterface({ input })[Symbol.asyncIterator]();
    const { done, value } = await this.#lines.next();
    return done ? undefined : JSON.parse(value);
  }

  async rest(): Promise<StreamLine[]> {
    const lines: StreamLine[] = [];
    for (let line = await this.next(); line !== undefined; line = await this.next()) lines.push(line);
    return lines;
  }

  async refusal(): Promise<{ status: number } & ErrorFields> {
    const answer = await this.answer;
    const text = (await answer.toArray()).join('');
    return { status: answer.statusCode ?? 0, ...JSON.parse(text).error };
  }
}
