// Addresses of this machine that stand for several machines. Each stays reserved, even while nothing listens there.
import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';

export interface LoopbackNetwork {
  host(n: number): string;
  readonly port: number;
}

/**
 * All of 127.0.0.0/8 is this machine. Outgoing connections use ports of 127.0.0.1, so they never take the port of a
 * node that is down.
 */
export async function openNetwork(): Promise<LoopbackNetwork> {
  const prefix = `127.${randomInt(1, 255)}.${randomInt(255)}`;
  const host = (n: number) => `${prefix}.${n}`;
  return { host, port: await freePort(host(1)) };
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
