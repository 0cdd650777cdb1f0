// Client of bench/attacks.ts. It runs in its own process and uses another address of this machine.
import { type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

export interface Attack {
  readonly name: keyof typeof ATTACKS;
  readonly port: number;
  /** Belongs to a writer, for attacks that need one. */
  readonly token: string;
  readonly ms: number;
}

/** Differs from the address that the probes come from. */
const ADDRESS = { host: '127.0.0.1', localAddress: '127.0.0.2' };
const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1_024 * 1_024;

interface Sent extends RequestOptions {
  readonly body?: string | Buffer;
  /** Destroys the connection after this time. */
  readonly leaveMs?: number;
}

function send(port: number, { body, leaveMs, ...options }: Sent): Promise<void> {
  return new Promise((done) => {
    const sent = request({ ...ADDRESS, agent: false, ...options, port }, (answer) => answer.resume());
    sent.on('error', () => {});
    sent.on('close', done);
    if (leaveMs !== undefined) setTimeout(() => sent.destroy(), leaveMs);
    sent.end(body);
  });
}

async function repeat(clients: number, until: number, act: () => Promise<void>): Promise<void> {
  const work = async () => {
    while (Date.now() < until) {
      await act();
      // Refusals come at once, and a client without a pause would measure itself.
      await pause(5);
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
}

function countBatch(): string {
  const calls = Array.from({ length: 20 }, () => 'thing.count').join(',');
  const input = { orgName: 'ada', repoName: 'notes', q: 'common' };
  const inputs = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [index, input]));
  return `/trpc/${calls}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
}

const ATTACKS = {
  'batches of searches that are left': async ({ port }: Attack, until: number) => {
    const path = countBatch();
    await repeat(4, until, () => send(port, { path, leaveMs: 200 }));
  },
  'large bodies without a credential': async ({ port }: Attack, until: number) => {
    const body = `{"a":[${'0,'.repeat(4 * MIB - 10)}0]}`;
    await repeat(4, until, () => send(port, { path: '/trpc/commit.submit', method: 'POST', headers: JSON_TYPE, body }));
  },
  'bodies that never end': async ({ port, token }: Attack, until: number) => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${token}`, 'content-length': 8 * MIB };
    const sockets = Array.from({ length: 60 }, () => {
      const sent = request({ ...ADDRESS, agent: false, port, path: '/trpc/commit.submit', method: 'POST', headers });
      sent.on('error', () => {});
      sent.write('x'.repeat(7 * MIB));
      return sent;
    });
    await pause(until - Date.now());
    for (const socket of sockets) socket.destroy();
  },
  'connections without whole headers': async ({ port }: Attack, until: number) => {
    const sockets = Array.from({ length: 1_000 }, () => {
      const socket = connect({ ...ADDRESS, port });
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
      return socket;
    });
    await pause(until - Date.now());
    for (const socket of sockets) socket.destroy();
  },
  'packed blank lines': async ({ port, token }: Attack, until: number) => {
    const body = gzipSync('\n'.repeat(200 * MIB));
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    };
    const path = '/api/repos/ada/notes/streams/s/submissions?offset=0';
    await repeat(2, until, () => send(port, { path, method: 'POST', headers, body }));
  },
  'anonymous requests without end': async ({ port }: Attack, until: number) => {
    await repeat(16, until, () => send(port, { path: '/api/repos/ada/notes/head' }));
  },
};

export const ATTACK_NAMES = Object.keys(ATTACKS) as (keyof typeof ATTACKS)[];

process.on('message', async (attack: Attack) => {
  await ATTACKS[attack.name](attack, Date.now() + attack.ms);
  process.send?.('done');
});
