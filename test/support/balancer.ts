// A load balancer in front of three nodes, in the process of the test. It does what the configuration of docs/scale.md
// tells HAProxy to do; the long suite uses HAProxy itself, where it is installed.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { LoopbackNetwork } from './loopback-network.ts';

/** The last host of the network; the nodes have the first ones. */
const HOST = 254;
const CONNECT_MS = 2_000;
const CHECK_MS = 3_000;
const CHECK_EVERY_MS = 1_000;
const FAILURES_MAX = 3;

/** The address that clients use. */
export const balancerUrl = ({ host, port }: LoopbackNetwork) => `http://${host(HOST)}:${port}`;

class Backend {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** One for each request that is under way. */
  readonly sessions = new Set<Socket>();
  /** Counts up over all nodes. */
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
    // A node that hangs never ends them, and clients would wait for it.
    if (!this.isUp) for (const session of this.sessions) session.destroy();
  }

  /** A connection, or nothing where the node takes none. */
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
      // Destroyed by a check meanwhile.
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

/** `nodes` are the names of the first hosts of the network. It stops with the test. */
export async function startBalancer(network: LoopbackNetwork, nodes: readonly string[]): Promise<void> {
  const backends = nodes.map((name, index) => new Backend(name, network.host(index + 1), network.port));
  const server = createServer((incoming, outgoing) => void pass(backends, incoming, outgoing));
  // Streams last long, and some are silent for long.
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
  // One with few sessions goes first, so that a node that is new gets its share.
  // Those with equally many take turns.
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
  // The write may have been made: the client decides whether to repeat it.
  upstream.on('error', () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  upstream.on('response', (answer) => {
    // This header is about the connection to the node. The client's is kept.
    const { connection: _, ...answered } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, { ...answered, 'x-cairn-node': backend.name });
    outgoing.flushHeaders();
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  incoming.pipe(upstream);
}
