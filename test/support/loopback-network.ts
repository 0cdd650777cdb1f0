// Addresses of this machine that are like those of several: each is somebody's own, also while nobody listens there.
import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';

export interface LoopbackNetwork {
  /** The address of the nth machine, counted from 1. */
  host(n: number): string;
  /** The same on all of them. */
  readonly port: number;
}

/**
 * All of 127.0.0.0/8 is this machine, and who connects to it does so from 127.0.0.1. So nobody takes the port of a node by
 * chance while it is away, as could happen there.
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
