// A proxy on a real port that acts on requests and answers as networks do: it cuts and changes them.
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface ProxyFaults {
  /** Bytes of answers after which the nth connection is cut, counted from 0; undefined for never. */
  readonly cutAfter?: (connection: number) => number | undefined;
  /** The same limit for bytes of requests. */
  readonly cutRequestAfter?: (connection: number) => number | undefined;
  /** True to hold the connection there until `stop` is called, so that all bytes before the limit arrive. */
  readonly holds?: boolean;
  /** Changes a chunk of an answer on the nth connection. */
  readonly change?: (bytes: Buffer, connection: number) => Buffer;
  /** Uploads pass in pieces of this size, one per timer, so that the sender is never far ahead of the observer. */
  readonly uploadBytes?: number;
}

export interface Proxy {
  readonly url: string;
  connections(): number;
  cut(): void;
  /** Cuts all connections and accepts no more. */
  stop(): void;
  open(): number;
}

/** Forwards to a fixed server, or to the one that `target` returns when a connection begins. */
export async function startProxy(target: string | (() => string), faults: ProxyFaults): Promise<Proxy> {
  const { cutAfter = () => undefined, cutRequestAfter = () => undefined, holds = false, change, uploadBytes } = faults;
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    const { hostname, port } = new URL(typeof target === 'string' ? target : target());
    const upstream = connect({ host: hostname, port: Number(port) });
    const connection = connections;
    let left = cutAfter(connection) ?? Number.POSITIVE_INFINITY;
    const requestLeft = cutRequestAfter(connection);
    connections += 1;
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    const sent = uploadBytes === undefined ? client : client.pipe(slowed(uploadBytes));
    if (requestLeft === undefined) sent.pipe(upstream);
    else passUntil(requestLeft, client, upstream);
    upstream.on('data', (bytes) => {
      const sent = (change?.(bytes, connection) ?? bytes).subarray(0, left);
      left -= sent.length;
      if (left <= 0 && holds) client.write(sent);
      else if (left <= 0) client.end(sent, () => upstream.destroy());
      else if (!client.write(sent)) waitForDrain(client, upstream);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = () => {
    server.close();
    cut();
  };
  onTestFinished(stop);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    connections: () => connections,
    cut,
    stop,
    open: () => sockets.size / 2,
  };
}

/** All bytes up to the limit arrive. Then both ends find the connection closed. */
function passUntil(bytes: number, client: Socket, upstream: Socket): void {
  let left = bytes;
  client.on('data', (piece) => {
    const sent = piece.subarray(0, left);
    left -= sent.length;
    if (left <= 0) upstream.write(sent, () => upstream.destroy());
    else if (!upstream.write(sent)) waitForDrain(upstream, client);
  });
}

/** A slow reader pauses the writer, as it would without a proxy. */
function waitForDrain(reader: Socket, writer: Socket): void {
  writer.pause();
  reader.once('drain', () => writer.resume());
}

function slowed(pieceBytes: number): Transform {
  return new Transform({
    highWaterMark: pieceBytes,
    async transform(bytes: Buffer, _, done) {
      for (let from = 0; from < bytes.length && !this.destroyed; from += pieceBytes) {
        this.push(bytes.subarray(from, from + pieceBytes));
        await setTimeout(1);
      }
      done();
    },
  });
}
