// A webhook receiver on this machine with configurable answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedDelivery {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a receiver gets is whatever was sent
  readonly body: any;
}

export type Answering = (response: ServerResponse, delivery: ReceivedDelivery) => void;

export interface Receiver {
  readonly url: string;
  /** The address that the operator must allow. */
  readonly address: string;
  readonly received: ReceivedDelivery[];
  answer(answering: Answering): void;
}

export const withStatus =
  (status: number, headers: Record<string, string> = {}, body = ''): Answering =>
  (response) =>
    response.writeHead(status, headers).end(body);

export async function startReceiver(first: Answering = withStatus(200)): Promise<Receiver> {
  const received: ReceivedDelivery[] = [];
  let answering = first;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    const delivery = { method, path, headers, text, body: text === '' ? undefined : JSON.parse(text) };
    received.push(delivery);
    answering(response, delivery);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${address}`,
    address,
    received,
    answer: (next) => {
      answering = next;
    },
  };
}

/** Answers 200 with this many bytes, as fast as the client reads them. */
export function pour(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(65_536, 'a');
  let sent = 0;
  const more = (): void => {
    while (sent < bytes && !response.destroyed) {
      sent += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}
