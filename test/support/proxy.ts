// A proxy on a real port that does to answers what networks do: it cuts them, and changes them.
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ProxyFaults {
  /** After how many bytes of answers the nth connection is cut, counted from 0; undefined for never. */
  readonly cutAfter?: (connection: number) => number | undefined;
  /** Whether it is only held there, until `stop` is called: what came before arrives for certain. */
  readonly holds?: boolean;
  /** What becomes of a piece of an answer. */
  readonly change?: (bytes: Buffer) => Buffer;
}

export interface Proxy {
  readonly url: string;
  /** How many connections there have been. */
  connections(): number;
  /** Cuts all that are open, and takes no more. */
  stop(): void;
  /** How many are open. */
  open(): number;
}

export async function startProxy(target: string, faults: ProxyFaults): Promise<Proxy> {
  const { cutAfter = () => undefined, holds = false, change } = faults;
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    let left = cutAfter(connections) ?? Number.POSITIVE_INFINITY;
    connections += 1;
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      const sent = (change?.(bytes) ?? bytes).subarray(0, left);
      left -= sent.length;
      // Ended in order, so that what was sent before arrives.
      if (left <= 0 && holds) client.write(sent);
      else if (left <= 0) client.end(sent, () => upstream.destroy());
      else if (!client.write(sent)) waitForDrain(client, upstream);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(stop);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    connections: () => connections,
    stop,
    open: () => sockets.size / 2,
  };
}

/** A reader that takes nothing holds back the server, as without a proxy. */
function waitForDrain(client: Socket, upstream: Socket): void {
  upstream.pause();
  client.once('drain', () => upstream.resume());
}
