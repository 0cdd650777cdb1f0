// Does the work that a real request needs, with as few layers as possible: request id, cached caller, security headers,
// entity tag, counter and log line. One statement reads a record, and commits go to a writer thread. It shows how fast
// a server like Cairn can be on Node. It lacks most of Cairn: roles, shapes, redaction, limits, history.
import { hash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import type { Numbered, Operation, Outcome, Submission } from './lean-writer.ts';
import { commitText, recordText, type StoredRecord } from './record-text.ts';

const [port, file = '', token = ''] = process.argv.slice(2);
const writer = new Worker(join(import.meta.dirname, 'lean-writer.ts'), { workerData: { file } });
// The writer creates the tables first.
await new Promise((resolve) => writer.once('message', resolve));

const database = new DatabaseSync(file, { readOnly: true });
// In KiB, the same as PocketBase.
database.exec('pragma cache_size = -32000');

function selectRecords(from: string, rest: string): StatementSync {
  const statement = database.prepare(`select r.id, r.name, v.seq, v.data, v.hash, c.author, c.at from ${from} record r
    join version v on v.repo = r.repo and v.id = r.id and v.version = r.version
    join change c on c.repo = v.repo and c.seq = v.seq where r.repo = 1 ${rest}`);
  statement.setReturnArrays(true);
  return statement;
}

const findRecord = selectRecords('', 'and r.name = ?');
const listRecords = selectRecords('', 'order by r.id limit ?');
const IN_RANGE = 'and f.repo = 1 and f.field = 1 and f.value >= ? and r.id = f.id order by f.value limit ?';
const listRange = selectRecords('number_field f cross join', IN_RANGE);
const readSequence = database.prepare('select seq from repository where id = 1');
const readDataVersion = database.prepare('pragma data_version');

interface Caller {
  readonly name: string;
  readonly repositories: ReadonlySet<string>;
  readonly expiresAt: number;
}

const bench: Caller = { name: 'token:bench', repositories: new Set(['bench/world']), expiresAt: Number.MAX_VALUE };
const callers = new Map([[hash('sha256', token), bench]]);
const counters = new Map<string, number>();
const log = pino({ base: null }, pino.destination({ dest: 1, sync: false, minLength: 4_096 }));

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  readonly requestId: string;
  readonly path: string;
  readonly search: string | undefined;
  caller?: Caller;
}

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

let isChecked = false;

/** Runs once per turn of the event loop. If the number has changed, Cairn checks whether anyone's access changed. */
function checkCallers(): void {
  if (isChecked) return;
  isChecked = true;
  setImmediate(() => {
    isChecked = false;
  });
  readDataVersion.get();
}

function authenticate(authorization: string): Caller {
  checkCallers();
  const caller = callers.get(hash('sha256', authorization.slice('Bearer '.length)));
  if (caller === undefined || caller.expiresAt < Date.now()) throw new Refused(401, 'The token is not valid.');
  return caller;
}

function requireRepository({ caller }: Exchange, name: string): Caller {
  if (caller?.repositories.has(name)) return caller;
  throw new Refused(404, `There is no repository ${name}.`);
}

const HEADERS = [
  ...['content-type', 'application/json', 'cache-control', 'private, no-cache', 'vary', 'Origin, Authorization'],
  ...['x-content-type-options', 'nosniff', 'x-frame-options', 'DENY', 'referrer-policy', 'no-referrer'],
  ...['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['cross-origin-opener-policy', 'same-origin'],
];

function send(c: Exchange, body: string, { status = 200, tag }: { status?: number; tag?: string } = {}): void {
  const { request, response, requestId, path, caller } = c;
  const headers = HEADERS.concat('x-request-id', requestId, 'content-length', String(Buffer.byteLength(body)));
  if (tag !== undefined) headers.push('etag', tag);
  response.writeHead(status, headers).end(body);
  const key = `${request.method} ${path} ${status}`;
  counters.set(key, (counters.get(key) ?? 0) + 1);
  const ms = performance.now() - c.startedAt;
  log.info({ requestId, method: request.method, path, status, ms, caller: caller?.name }, 'request');
}

const toText = (row: unknown) => recordText(row as unknown as StoredRecord);

function findItems(search: string | undefined): unknown[] {
  const parameters = new URLSearchParams(search);
  const [match, where, limit] = ['match', 'where', 'limit'].map((name) => parameters.get(name));
  if (match) return [findRecord.get(match)].filter((row) => row !== undefined);
  if (!where) return listRecords.all(Number(limit));
  const [, from] = /^x:gte:(\d+)$/.exec(where) ?? [];
  if (from === undefined) throw new Refused(400, 'Only x:gte:NUMBER can be asked for.');
  return listRange.all(Number(from), Number(limit));
}

function answerList(c: Exchange): void {
  const { request, path, search } = c;
  const [, , , organization, repository] = path.split('/');
  const caller = requireRepository(c, `${organization}/${repository}`);
  const { seq } = readSequence.get() as { seq: number };
  const tag = `W/"${hash('sha256', `${caller.name} ${seq} ${request.url}`, 'base64url').slice(0, 24)}"`;
  if (request.headers['if-none-match'] === tag) send(c, '', { status: 304, tag });
  else send(c, `{"repoSeq":${seq},"items":[${findItems(search).map(toText).join(',')}]}`, { tag });
}

function answerGet(c: Exchange): void {
  const input = JSON.parse(new URLSearchParams(c.search).get('input') ?? '{}') as Record<string, unknown>;
  requireRepository(c, `${input.orgName}/${input.repoName}`);
  if (typeof input.wref !== 'string') throw new Refused(400, 'wref: expected a text.');
  const found = findRecord.get(input.wref);
  if (found === undefined) throw new Refused(404, `There is no record ${input.wref}.`);
  send(c, `{"result":{"data":${toText(found)}}}`);
}

const isOperation = ({ name, data }: Partial<Operation>) =>
  typeof name === 'string' && typeof data?.x === 'number' && typeof data.label === 'string';

function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  return new Promise((resolve, reject) => {
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => resolve(Buffer.concat(parts).toString()));
    request.on('error', reject);
  });
}

async function answerCommit(c: Exchange): Promise<void> {
  const input = JSON.parse(await readText(c.request)) as Record<string, unknown>;
  const { name: author } = requireRepository(c, `${input.orgName}/${input.repoName}`);
  const operations = input.operations as Operation[];
  if (!Array.isArray(operations) || !operations.every(isOperation)) throw new Refused(400, 'operations: not valid.');
  const outcome = await submit({ key: randomUUID(), author, operations });
  if ('refused' in outcome) throw new Refused(409, outcome.refused);
  const names = operations.map(({ name }, index) => [name, outcome.hashes[index] ?? ''] as const);
  send(c, commitText(outcome.repoSeq, outcome.commitId, names));
}

let last = 0;
const submissions: Numbered<Submission>[] = [];
const submitters = new Map<number, (outcome: Outcome) => void>();

/** Sends all submissions of one turn of the event loop to the writer in one message. */
function submit(submission: Submission): Promise<Outcome> {
  if (submissions.length === 0) setImmediate(() => writer.postMessage(submissions.splice(0)));
  submissions.push([++last, submission]);
  return new Promise((resolve) => submitters.set(last, resolve));
}

writer.on('message', (outcomes: Numbered<Outcome>[]) => {
  for (const [number, outcome] of outcomes) {
    submitters.get(number)?.(outcome);
    submitters.delete(number);
  }
});

const LIST = /^GET \/api\/repos\/[^/]+\/[^/]+\/(?:head|query)$/;

function answer(c: Exchange): void | Promise<void> {
  const route = `${c.request.method} ${c.path}`;
  const { authorization } = c.request.headers;
  if (authorization !== undefined) c.caller = authenticate(authorization);
  if (route === 'GET /health/live') return send(c, '{"status":"live"}');
  if (route === 'GET /trpc/thing.get') return answerGet(c);
  if (route === 'POST /trpc/commit.submit') return answerCommit(c);
  if (LIST.test(route)) return answerList(c);
  throw new Refused(404, 'There is nothing here.');
}

createServer(async (request, response) => {
  const startedAt = performance.now();
  const [path = '', search] = (request.url ?? '').split('?', 2);
  const c: Exchange = { request, response, startedAt, requestId: randomUUID(), path, search };
  try {
    await answer(c);
  } catch (error) {
    if (!(error instanceof Refused)) log.error({ requestId: c.requestId, err: error }, 'failed');
    const refused = error instanceof Refused ? error : new Refused(500, 'The server failed. Its log has the reason.');
    send(c, JSON.stringify({ error: { message: refused.message } }), { status: refused.status });
  }
}).listen(Number(port), '127.0.0.1');
process.once('disconnect', () => process.exit());
