// Sends one request again and again, or one with another number each time, on a number of connections, each as soon as the
// one before is answered. A process of its own, so that it takes no time from the server's; on bare sockets, because Node's
// own client takes more time than the servers that are measured.
import { connect } from 'node:net';
import { type Numbers, requestText, type SentRequest } from './load-text.ts';

export interface Load extends SentRequest {
  readonly port: number;
  /** Connections are spread over these too. */
  readonly morePorts?: readonly number[];
  readonly numbers?: Numbers;
  readonly token: string;
  readonly connections: number;
  readonly ms: number;
  /** Ends earlier when that many were answered. */
  readonly requests?: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** How many there were. */
  readonly answers: number;
  readonly medianMs: number;
  /** The 99th percentile. */
  readonly slowestMs: number;
  /** How many answers were not 200. */
  readonly refused: number;
  /** Processor time that the client itself took. */
  readonly clientSeconds: number;
}

interface Measured {
  readonly times: number[];
  refused: number;
}

async function measure(load: Load): Promise<LoadResult> {
  const measured: Measured = { times: [], refused: 0 };
  const start = performance.now();
  const processor = process.cpuUsage();
  const ports = [load.port, ...(load.morePorts ?? [])];
  const text = requestText(load);
  const { ms, requests = Number.POSITIVE_INFINITY } = load;
  const goOn = (now: number) => now < start + ms && measured.times.length < requests;
  await Promise.all(
    Array.from({ length: load.connections }, (_, n) =>
      sendWhile({ port: ports[n % ports.length] ?? load.port, text }, goOn, measured),
    ),
  );
  const seconds = (performance.now() - start) / 1_000;
  const sorted = measured.times.sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  const answers = sorted.length;
  const { user, system } = process.cpuUsage(processor);
  const { refused } = measured;
  const clientSeconds = (user + system) / 1e6;
  return { perSecond: answers / seconds, answers, medianMs: at(0.5), slowestMs: at(0.99), refused, clientSeconds };
}

interface Sending {
  readonly port: number;
  readonly text: () => string;
}

function sendWhile({ port, text }: Sending, goOn: (now: number) => boolean, measured: Measured): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let sentAt = 0;
    let missing = 0;
    const send = () => {
      sentAt = performance.now();
      missing = 0;
      socket.write(text());
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
      if (
        missing > 0 &&
        !(missing === Number.POSITIVE_INFINITY && chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK))
      ) {
        return;
      }
      const now = performance.now();
      measured.times.push(now - sentAt);
      if (goOn(now)) send();
      else socket.end();
    });
  });
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Of an answer whose head came in one piece: its status, and how many bytes it has with its head; without end, where it comes in chunks. */
function readHead(chunk: Buffer): { status: number; bytes: number } {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  const inChunks = /\r\ntransfer-encoding: chunked/i.test(head);
  if (end === -1 || (length === undefined && !inChunks)) throw new Error(`The answer has no length:\n${head}`);
  return { status: Number(head.slice(9, 12)), bytes: inChunks ? Number.POSITIVE_INFINITY : end + 4 + Number(length) };
}

process.on('message', async (load) => process.send?.(await measure(load as Load)));
process.once('disconnect', () => process.exit());
