// A load balancer in front of three nodes, in the process of the test. It follows the HAProxy configuration of
// docs/scale.md. The long suite uses HAProxy itself, if it is installed.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { LoopbackNetwork } from './loopback-network.ts';

/** The last host of the network. The first hosts are the nodes. */
const HOST = 254;
const CONNECT_MS = 2_000;
const CHECK_MS = 3_000;
const CHECK_EVERY_MS = 1_000;
const FAILURES_MAX = 3;

export const balancerUrl = ({ host, port }: LoopbackNetwork) => `http://${host(HOST)}:${port}`;

class Backend {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** One for each request in progress. */
  readonly sessions = new Set<Socket>();
  lastTurn = 0;
  #failures = FAILURES_MAX;

  constructor(name: string, host: string, port: number) {
    this.name = name;
    this.host = host;
    this.port = port;
  }

  get isUp(): boolean {
    return this.#failures < FAILURES_MAX;
  }

  async check(): Promise<void> {
    const isReady = await fetch(`http://${this.host}:${this.port}/health/ready`, {
      signal: AbortSignal.timeout(CHECK_MS),
    }).then(
      async ({ ok, body }) => {
        await body?.cancel();
        return ok;
      },
      () => false,
    );
    this.#failures = isReady ? 0 : this.#failures + 1;
    // A hanging node never ends its sessions, and clients would wait for it.
    if (!this.isUp) for (const session of this.sessions) session.destroy();
  }

  /** Connects, or resolves to undefined if the node refuses or is too slow. */
  async connect(): Promise<Socket | undefined> {
    const socket = connect({ host: this.host, port: this.port, noDelay: true });
    this.sessions.add(socket);
    socket.on('close', () => this.sessions.delete(socket));
    return await new Promise((done) => {
      const giveUp = () => {
        socket.destroy();
        done(undefined);
      };
      socket.setTimeout(CONNECT_MS, giveUp);
      socket.once('error', giveUp);
      socket.once('close', giveUp);
      socket.once('connect', () => {
        socket.setTimeout(0);
        socket.off('error', giveUp);
        socket.off('close', giveUp);
        done(socket);
      });
    });
  }
}

/** `nodes` are the names of the first hosts of the network. The balancer stops with the test. */
export async function startBalancer(network: LoopbackNetwork, nodes: readonly string[]): Promise<void> {
  const backends = nodes.map((name, index) => new Backend(name, network.host(index + 1), network.port));
  const server = createServer((incoming, outgoing) => void pass(backends, incoming, outgoing));
  // Streams last long and may be silent for long.
  server.requestTimeout = 0;
  let isRunning = true;
  const checks = backends.map(async (backend) => {
    while (isRunning) {
      await backend.check();
      await pause(CHECK_EVERY_MS);
    }
  });
  onTestFinished(async () => {
    isRunning = false;
    server.close();
    server.closeAllConnections();
    await Promise.all(checks);
  });
  await new Promise<void>((listening) => server.listen(network.port, network.host(HOST), listening));
}

async function pass(backends: readonly Backend[], incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // The node with the fewest sessions goes first, so that a new node gets its share. Ties take turns.
  const candidates = backends
    .filter(({ isUp }) => isUp)
    .sort((a, b) => a.sessions.size - b.sessions.size || a.lastTurn - b.lastTurn);
  for (const backend of candidates) {
    backend.lastTurn = Math.max(...backends.map(({ lastTurn }) => lastTurn)) + 1;
    const socket = await backend.connect();
    if (socket === undefined) continue;
    if (outgoing.destroyed) socket.destroy();
    else passOn(backend, socket, incoming, outgoing);
    return;
  }
  outgoing.writeHead(503).end();
}

function passOn(backend: Backend, socket: Socket, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', url: path = '/', headers, socket: client } = incoming;
  const upstream = request({
    method,
    path,
    headers: { ...headers, connection: 'close', 'x-forwarded-for': client.remoteAddress ?? '' },
    createConnection: () => socket,
  });
  upstream.flushHeaders();
  outgoing.on('close', () => socket.destroy());
  // The write may have been made, so the client decides whether to repeat it.
  upstream.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  upstream.on('response', (answer) => {
    // The `connection` header belongs to the connection to the node, so it is not passed on.
    const { connection: _, ...answered } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, { ...answered, 'x-cairn-node': backend.name });
    outgoing.flushHeaders();
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  incoming.pipe(upstream);
}
