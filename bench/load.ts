// Sends prepared requests in order. Each connection sends the next one as soon as it has the last answer. Every answer
// is checked, so that errors do not count as speed. It runs in its own process on bare sockets, because Node's own
// client takes more time than the measured servers.
import { connect } from 'node:net';

export interface LoadRequest {
  readonly text: string;
  readonly expected: string;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly LoadRequest[];
  /** Duration in milliseconds; requests repeat from the start. If undefined, each request is sent once. */
  readonly ms?: number;
}

export interface LoadAnswers {
  readonly answers: number;
  readonly seconds: number;
  /** 99th percentile of the latency in milliseconds. */
  readonly slowestMs: number;
}

export type LoadResult = LoadAnswers | { readonly problem: string };

const ANSWER_BYTES_MAX = 256 * 1024;
const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

interface Prepared {
  readonly bytes: Buffer;
  readonly expected: Buffer;
}

function drive(port: number, next: () => Prepared | undefined, took: (ms: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const memory = Buffer.allocUnsafe(ANSWER_BYTES_MAX);
    let arrived = 0;
    /** Bytes of the whole answer, known once the head has arrived. */
    let size: number | undefined;
    let asked: Prepared | undefined;
    let askedAt = 0;
    const send = () => {
      arrived = 0;
      size = undefined;
      asked = next();
      askedAt = performance.now();
      if (asked !== undefined) return void socket.write(asked.bytes);
      resolve();
      socket.destroy();
    };
    const read = () => {
      const answer = memory.subarray(0, arrived);
      size ??= answerSize(answer);
      const isChunked = size === Number.POSITIVE_INFINITY;
      if (size === undefined || (isChunked ? !endsWithLastChunk(answer) : arrived < size)) return;
      if (answer.toString('latin1', 9, 12) === '200' && answer.includes(asked?.expected ?? '')) {
        took(performance.now() - askedAt);
        return send();
      }
      reject(new Error(`Expected ${asked?.expected} as the answer to ${asked?.bytes}:\n${answer}`));
    };
    const callback = (bytes: number) => {
      arrived += bytes;
      read();
      return true;
    };
    const onread = { buffer: () => memory.subarray(arrived), callback };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    socket.once('connect', send);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The server closed a connection.')));
  });
}

/** Infinity for a chunked answer. */
function answerSize(answer: Buffer): number | undefined {
  const end = answer.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = answer.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return end + HEAD_END.length + Number(length);
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return Number.POSITIVE_INFINITY;
  throw new Error(`The answer has no length:\n${head}`);
}

const endsWithLastChunk = (answer: Buffer) =>
  answer.toString('latin1', answer.length - LAST_CHUNK.length) === LAST_CHUNK;

async function measure({ port, connections, requests, ms }: Load): Promise<LoadAnswers> {
  const prepared = requests.map(({ text, expected }) => ({
    bytes: Buffer.from(text),
    expected: Buffer.from(expected),
  }));
  let sent = 0;
  const times: number[] = [];
  const start = performance.now();
  const isOver = () => (ms === undefined ? sent === prepared.length : performance.now() - start > ms);
  const next = () => (isOver() ? undefined : prepared[sent++ % prepared.length]);
  await Promise.all(Array.from({ length: connections }, () => drive(port, next, (ms) => times.push(ms))));
  const seconds = (performance.now() - start) / 1_000;
  const slowestMs = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  return { answers: sent, seconds, slowestMs };
}

process.on('message', async (load: Load) => {
  process.send?.(await measure(load).catch((error: Error): LoadResult => ({ problem: error.message })));
});
process.once('disconnect', () => process.exit());
