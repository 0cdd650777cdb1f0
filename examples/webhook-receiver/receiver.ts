// A webhook receiver. It verifies each delivery, answers 202 at once, does its work, and reports the result. Its work
// is to count the words of notes, and to write each count back as an assertion about the note.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CairnClient, type CallbackBody } from '@cairn/sdk';
import { Webhook } from 'standardwebhooks';

const { CAIRN_URL: url = 'http://localhost:8787', CAIRN_TOKEN: token, WEBHOOK_SIGNING_SECRET, PORT } = process.env;
if (token === undefined || WEBHOOK_SIGNING_SECRET === undefined) {
  throw new Error('Set CAIRN_TOKEN and WEBHOOK_SIGNING_SECRET. See the README beside this file.');
}
const webhook = new Webhook(WEBHOOK_SIGNING_SECRET);
const client = new CairnClient({ url, token });

interface Delivery {
  readonly event: string;
  readonly runId: string;
  readonly repo: { readonly orgName: string; readonly repoName: string };
  readonly matchedOperations: readonly { readonly wref: string; readonly version: number }[];
}

const DELIVERY_BYTES_MAX = 1024 * 1024;

const server = createServer((request, response) => {
  receive(request, response).catch((error: unknown) => {
    console.error(error);
    // A 5xx status makes the server deliver again later.
    if (!response.headersSent) answer(response, 500, 'This receiver failed.');
  });
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  if (body === undefined) return answer(response, 413, 'That is no delivery: it is too large.');
  const delivery = verified(body, request);
  if (delivery === undefined) return answer(response, 401, 'The signature is not right.');
  // `cairn subscription test` needs no work.
  if (delivery.event === 'cairn.test') return answer(response, 200, 'It works.');
  // The server waits 30 s for an answer, and 24 hours for the report that 202 promises.
  answer(response, 202, 'Working on it.');
  await work(delivery, request.headers['x-cairn-trace']?.toString());
}

/** The signature covers the bytes as they arrived, so the body is not parsed before it is verified. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= DELIVERY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes > DELIVERY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Also refuses a recorded delivery that is sent again after 5 minutes. */
function verified(body: string, { headers }: IncomingMessage): Delivery | undefined {
  try {
    return webhook.verify(body, headers as Record<string, string>) as Delivery;
  } catch {
    return undefined;
  }
}

async function work(delivery: Delivery, trace: string | undefined): Promise<void> {
  const { runId } = delivery;
  try {
    await report(runId, { status: 'processing', message: 'Counting words', progress: 0.5 });
    const counted = await countWords(delivery, trace);
    await report(runId, { status: 'success', result: { counted } });
    console.log(`${runId}: counted the words of ${counted} notes`);
  } catch (error) {
    console.error(error);
    await report(runId, { status: 'failure', error: { code: 'COUNT_FAILED', message: (error as Error).message } });
  }
}

async function report(runId: string, body: CallbackBody): Promise<void> {
  await client.action.callback(runId, body);
}

async function countWords({ runId, repo, matchedOperations }: Delivery, trace: string | undefined): Promise<number> {
  const { orgName, repoName } = repo;
  const operations = matchedOperations.map(async ({ wref, version }, index) => {
    const about = `${wref}@v${version}`;
    // Large data is not part of the delivery, so read the record instead.
    const { data } = await client.thing.get(orgName, repoName, about);
    const words = String((data as { text?: unknown }).text)
      .split(/\s+/)
      .filter(Boolean).length;
    return { operation: 'add', name: `WordCount/$${index + 1}`, about, data: { words } };
  });
  // The trace of the delivery links this commit to it, so that the server can end loops.
  const tracing = new CairnClient({ url, token, trace });
  await tracing.commit.submit(orgName, repoName, {
    message: 'Words of notes',
    operations: await Promise.all(operations),
    // A run may be delivered more than once. The submission id makes its commit idempotent.
    submissionId: uuidOf(runId),
  });
  return matchedOperations.length;
}

/** Derives the same UUID from the same run. Version 8 is for custom UUIDs. */
function uuidOf(runId: string): string {
  const hex = createHash('sha256').update(runId).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
}

server.listen(Number(PORT ?? 9000), '127.0.0.1', () => {
  console.log(`Receiving webhooks at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
