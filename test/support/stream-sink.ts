// A server on a real port that accepts streams like Cairn and simulates rare faults: it delays acknowledgments, goes
// silent, or finishes a chunk after its connection is gone.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export interface SinkRequest {
  readonly nth: number;
  readonly query: URLSearchParams;
  readonly sink: StreamSink;
}

export interface SinkFaults {
  /** `late` answers nothing until the whole request has arrived; `never` answers nothing at all. */
  readonly tells?: (request: SinkRequest) => 'soon' | 'late' | 'never';
  readonly before?: (request: SinkRequest) => Promise<void>;
}

export interface StreamSink {
  readonly url: string;
  readonly lines: string[];
  readonly requests: SinkRequest[];
  isClosed: boolean;
  onEnd?: () => void;
}

export async function startStreamSink({ tells = () => 'soon', before = async () => {} }: SinkFaults = {}) {
  const sink: StreamSink = { url: '', lines: [], requests: [], isClosed: false };
  const submit = async (incoming: IncomingMessage, answer: ServerResponse, query: URLSearchParams) => {
    const request: SinkRequest = { nth: sink.requests.length, query, sink };
    sink.requests.push(request);
    const told: object[] = [];
    const tell = (line: object) => {
      told.push(line);
      if (tells(request) === 'soon') answer.write(told.splice(0).map(lineOf).join(''));
    };
    let offset = Number(query.get('offset'));
    let isRefused = false;
    answer.setHeader('content-type', 'application/x-ndjson');
    await takeLines(incoming, async (lines) => {
      await before(request);
      isRefused ||= offset !== sink.lines.length;
      if (isRefused) return;
      sink.lines.push(...lines);
      offset = sink.lines.length;
      tell(ackOf(sink, lines));
    });
    if (isRefused) return refuse(answer, sink.lines.length);
    tell({ type: 'end', ...totalOf(sink) });
    if (tells(request) !== 'never') answer.end(told.map(lineOf).join(''));
    sink.onEnd?.();
  };
  const server = createServer((incoming, answer) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://sink');
    if (pathname.endsWith('/submissions')) submit(incoming, answer, searchParams).catch(() => answer.destroy());
    else callProcedure(sink, pathname, answer);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sink has no port');
  return Object.assign(sink, { url: `http://127.0.0.1:${address.port}` });
}

const lineOf = (line: object) => `${JSON.stringify(line)}\n`;
const totalOf = ({ lines }: StreamSink) => ({
  offset: lines.length,
  repoSeq: 1,
  applied: lines.length,
  noop: 0,
  error: 0,
});

/** Refuses each line that contains `refuse`. */
function ackOf(sink: StreamSink, lines: readonly string[]) {
  const first = sink.lines.length - lines.length + 1;
  const errors = lines
    .map((text, index) => ({ text, line: first + index, code: 'SHAPE_MISMATCH', message: 'It does not fit.' }))
    .filter(({ text }) => text.includes('refuse'))
    .map(({ text: _, ...error }) => error);
  const applied = lines.length - errors.length;
  return { type: 'ack', offset: sink.lines.length, repoSeq: 1, applied, noop: 0, error: errors.length, errors };
}

async function takeLines(incoming: IncomingMessage, take: (lines: string[]) => Promise<void>): Promise<void> {
  let text = '';
  for await (const chunk of incoming) {
    const lines = (text + String(chunk)).split('\n');
    text = lines.pop() ?? '';
    if (lines.length > 0) await take(lines);
  }
}

function refuse(answer: ServerResponse, offset: number): void {
  const error = { code: 'CONFLICT', message: `It has ${offset} lines.`, details: { reason: 'offset', offset } };
  answer.writeHead(409, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify({ error }));
}

function callProcedure(sink: StreamSink, pathname: string, answer: ServerResponse): void {
  if (pathname.endsWith('close')) sink.isClosed = true;
  const state = sink.isClosed ? 'closed' : sink.lines.length === 0 ? 'new' : 'open';
  const result = { result: { data: { streamId: 's', state, ...totalOf(sink) } } };
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.end(JSON.stringify(pathname.endsWith('close') ? result : [result]));
}
