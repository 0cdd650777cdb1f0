// A component that counts the words of texts. The Cairn server calls it at five paths, all with a signature. It calls
// /setup and /uninstall at installs and teardowns, and /webhook for each commit that changes a text. The other two
// paths are the methods of its command line.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CairnClient, CairnError } from '@cairn/sdk';
import { type Install, Installs } from './install.ts';
import { setUp } from './setup.ts';
import { isMethodCall, isWebhook, type SignedRequest } from './signature.ts';
import { type Repository, recount, wordsOf, writeCounts } from './words.ts';

const { SETUP_SIGNING_SECRET = '', PUBLIC_URL, INSTALLS_FILE, PORT } = process.env;
if (SETUP_SIGNING_SECRET === '') throw new Error('Set SETUP_SIGNING_SECRET. See the README beside this file.');
const installs = new Installs(INSTALLS_FILE);
const publicUrl = () => PUBLIC_URL ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

interface Answer {
  readonly status: number;
  readonly body: object;
}

const done = (body: object): Answer => ({ status: 200, body });
const refused = (status: number, message: string): Answer => ({ status, body: { message } });

type Answering = (request: SignedRequest) => Promise<Answer>;

const PATHS: Readonly<Record<string, Answering>> = {
  'POST /setup': fromRegistry(async (call) => {
    await setUp(installs, publicUrl(), call);
    console.log(`Set up in ${call.installRepo}`);
  }),
  'POST /uninstall': fromRegistry(async ({ installId, installRepo }) => {
    installs.drop(installId);
    console.log(`Torn down in ${installRepo}`);
  }),
  'POST /webhook': onDelivery,
  'GET /cli/count': onMethod(count),
  'POST /cli/recount': onMethod(async (repository, args) =>
    done({ counted: await recount(repository, String(args.match)) }),
  ),
};

/** The organization that registered the component signs these calls with its secret. */
function fromRegistry(work: (call: Parameters<typeof setUp>[2]) => Promise<void>): Answering {
  return async (request) => {
    if (!isWebhook(SETUP_SIGNING_SECRET, request)) return refused(401, 'The signature is not right.');
    await work(JSON.parse(request.body));
    return done({});
  };
}

interface Delivery {
  readonly event: string;
  readonly repo: { readonly orgName: string; readonly repoName: string };
  readonly matchedOperations?: readonly { readonly wref: string }[];
}

async function onDelivery(request: SignedRequest): Promise<Answer> {
  // The matching secret identifies the caller, since repositories can be renamed.
  const install = installs.all().find(({ webhookSecret }) => isWebhook(webhookSecret, request));
  if (install === undefined) return refused(401, 'The signature is not right.');
  const { repo, matchedOperations = [] }: Delivery = JSON.parse(request.body);
  // The trace of the delivery links this commit to it, so that the server can end loops.
  const trace = request.headers['x-cairn-trace']?.toString();
  const names = [...new Set(matchedOperations.map(({ wref }) => wref))];
  return done({ counted: await writeCounts(openRepository(install, repo, trace), names) });
}

type Arguments = Readonly<Record<string, unknown>>;

/** The server checks arguments against the manifest before it calls. GET requests carry them in the query. */
function onMethod(work: (repository: Repository, args: Arguments) => Promise<Answer>): Answering {
  return async (request) => {
    const { host } = new URL(publicUrl());
    const install = installs.all().find(({ cliSecret }) => isMethodCall(cliSecret, host, request));
    if (install === undefined) return refused(401, 'The signature is not right.');
    const [orgName = '', repoName = ''] = String(request.headers['x-cairn-install-repo']).split('/');
    const query = new URL(request.path, publicUrl()).searchParams;
    const args = request.method === 'GET' ? Object.fromEntries(query) : JSON.parse(request.body);
    return await work(openRepository(install, { orgName, repoName }), args);
  };
}

async function count({ client, orgName, repoName }: Repository, args: Arguments): Promise<Answer> {
  const text = await client.thing.get(orgName, repoName, `Text/${args.text}`).catch((error: unknown) => {
    if (error instanceof CairnError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  if (text === undefined) return refused(404, `There is no text ${args.text}.`);
  return done({ text: text.name, words: wordsOf(text, Number(args['min-length'])) });
}

function openRepository(install: Install, repo: Delivery['repo'], trace?: string): Repository {
  const { apiUrl, runtimeToken } = install;
  return { client: new CairnClient({ url: apiUrl, token: runtimeToken, trace }), ...repo };
}

const BODY_BYTES_MAX = 1024 * 1024;

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString('utf8');
}

async function answerTo(request: IncomingMessage): Promise<Answer> {
  const { method = '', url: path = '', headers } = request;
  const answering = PATHS[`${method} ${path.replace(/\?.*$/, '')}`];
  if (answering === undefined) return refused(404, 'There is no such path.');
  const body = await bodyOf(request);
  return body === undefined ? refused(413, 'That is too large.') : await answering({ method, path, headers, body });
}

const server = createServer(async (request, response) => {
  const answer = await answerTo(request).catch((error: unknown) => {
    console.error(error);
    // A 5xx status makes the server deliver again later.
    return refused(500, error instanceof Error ? error.message : 'This component failed.');
  });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
});

server.listen(Number(PORT ?? 9100), '127.0.0.1', () => console.log(`Word count is at ${publicUrl()}`));
