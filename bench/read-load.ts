// Sends one request again and again on a number of connections, each as soon as the one before is answered. A process of
// its own, so that it takes no time from the server's; on bare sockets, because Node's own client takes more time than
// the servers that are measured.
import { connect } from 'node:net';

export interface Load {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly connections: number;
  readonly ms: number;
  /** Ends earlier when that many were answered. */
  readonly requests?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly medianMs: number;
  /** The 99th percentile. */
  readonly slowestMs: number;
  /** How many answers were not 200. */
  readonly refused: number;
}

interface Measured {
  readonly times: number[];
  refused: number;
}

async function measure(load: Load): Promise<LoadResult> {
  const measured: Measured = { times: [], refused: 0 };
  const start = performance.now();
  const { ms, requests = Number.POSITIVE_INFINITY } = load;
  const goOn = (now: number) => now < start + ms && measured.times.length < requests;
  await Promise.all(Array.from({ length: load.connections }, () => sendWhile(load, goOn, measured)));
  const seconds = (performance.now() - start) / 1_000;
  const sorted = measured.times.sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { perSecond: sorted.length / seconds, medianMs: at(0.5), slowestMs: at(0.99), refused: measured.refused };
}

function sendWhile({ port, path, token }: Load, goOn: (now: number) => boolean, measured: Measured): Promise<void> {
  const request = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`;
  return new Promise((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let missing = 0;
    const send = () => {
      sentAt = performance.now();
      missing = 0;
      socket.write(request);
    };
    socket.on('connect', send);
    socket.on('error', failed);
    socket.on('close', () => done());
    socket.on('data', (chunk) => {
      if (missing === 0) {
        const { status, bytes } = readHead(chunk);
        if (status !== 200) measured.refused++;
        missing = bytes;
      }
      missing -= chunk.length;
      if (missing > 0) return;
      const now = performance.now();
      measured.times.push(now - sentAt);
      if (goOn(now)) send();
      else socket.end();
    });
  });
}

/** Of an answer whose head came in one piece: its status, and how many bytes it has with its head. */
function readHead(chunk: Buffer): { status: number; bytes: number } {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (end === -1 || length === undefined) throw new Error(`The answer has no length:\n${head}`);
  return { status: Number(head.slice(9, 12)), bytes: end + 4 + Number(length) };
}

process.on('message', async (load) => process.send?.(await measure(load as Load)));
process.once('disconnect', () => process.exit());
