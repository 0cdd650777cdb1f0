// Live clients in their own process. Each is a bare socket, so that only the server is measured.
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Streams {
  readonly port: number;
  readonly tickets: readonly string[];
}

export type LiveOrder =
  | { readonly open: Streams }
  /** Stops reading on this many streams, starting with the first. */
  | { readonly stall: number }
  /** Waits until all reading streams have received this sequence. */
  | { readonly hear: number }
  | 'close';

/** Time of arrival per stream in milliseconds since the epoch, in no order. */
export type Heard = readonly number[];

const OPEN_AT_ONCE = 200;
/** One address has about 28,000 ports. */
const STREAMS_AN_ADDRESS = 20_000;

class Client {
  /** The latest sequence received, and when. */
  seq = 0;
  at = 0;
  stalled = false;
  readonly socket: Socket;

  constructor({ port, ticket, number }: { port: number; ticket: string; number: number }) {
    const localAddress = `127.0.0.${2 + Math.floor(number / STREAMS_AN_ADDRESS)}`;
    this.socket = connect({ port, host: '127.0.0.1', localAddress });
    this.socket.write(`GET /sse?ticket=${ticket} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  }

  /** Resolves at the first event. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.on('data', (bytes) => {
        const text = bytes.toString('latin1');
        if (text.includes('event: ready')) resolve();
        else if (text.startsWith('HTTP/1.1 4')) reject(new Error(text));
        const seq = /event: invalidate\nid: (\d+)/.exec(text)?.[1];
        if (seq === undefined) return;
        this.seq = Number(seq);
        this.at = performance.timeOrigin + performance.now();
      });
      this.socket.on('error', reject);
    });
  }
}

let clients: Client[] = [];

async function open({ port, tickets }: Streams): Promise<void> {
  for (let at = 0; at < tickets.length; at += OPEN_AT_ONCE) {
    const some = tickets
      .slice(at, at + OPEN_AT_ONCE)
      .map((ticket, n) => new Client({ port, ticket, number: clients.length + n }));
    await Promise.all(some.map((client) => client.opened()));
    clients.push(...some);
  }
}

function stall(count: number): void {
  for (const [index, client] of clients.entries()) {
    client.stalled = index < count;
    if (client.stalled) client.socket.pause();
    else client.socket.resume();
  }
}

async function hear(seq: number): Promise<Heard> {
  const reading = clients.filter(({ stalled }) => !stalled);
  while (reading.some((client) => client.seq < seq)) await pause(5);
  return reading.map(({ at }) => at);
}

async function obey(order: LiveOrder): Promise<Heard> {
  if (order === 'close') {
    for (const { socket } of clients) socket.destroy();
    clients = [];
    return [];
  }
  if ('hear' in order) return await hear(order.hear);
  if ('open' in order) await open(order.open);
  else stall(order.stall);
  return [];
}

process.on('message', async (order: LiveOrder) => process.send?.(await obey(order)));
