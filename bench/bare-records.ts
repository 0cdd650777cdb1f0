// Smallest server for the comparison: `node:http` and `node:sqlite` on one core, and the MCP SDK for its calls. It
// stores the text of each answer, checks nothing, and groups commits that arrive together into one transaction.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { commitText, recordText } from './record-text.ts';

interface Commit {
  readonly operations: readonly { readonly name: string; readonly data: { readonly x: number } }[];
  readonly response: ServerResponse;
}

const [port, file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(`
  pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32000;
  create table if not exists record (id integer primary key, name text not null, x real not null, item text not null);
  create unique index if not exists record_name on record (name);
  create index if not exists record_x on record (x)`);
const findRecord = database.prepare('select item from record where name = ?');
const listRecords = database.prepare('select item from record order by id limit 50');
const listRange = database.prepare('select item from record where x >= ? order by x limit 50');
const insertRecord = database.prepare('insert into record (name, x, item) values (?, ?, ?)');
const HASH = '0'.repeat(64);

const textAfter = (url: string, mark: string) => url.slice(url.indexOf(mark) + mark.length);
const itemOf = (row: unknown) => (row as { item: string } | undefined)?.item ?? '';
const listText = (rows: readonly unknown[]) => `{"repoSeq":1,"items":[${rows.map(itemOf).join(',')}]}`;

function answerText(url: string): string {
  if (url === '/health/live') return '{"status":"live"}';
  if (url.startsWith('/trpc/')) {
    const { wref } = JSON.parse(decodeURIComponent(textAfter(url, 'input='))) as { wref: string };
    return `{"result":{"data":${itemOf(findRecord.get(wref))}}}`;
  }
  if (url.includes('where=')) return listText(listRange.all(Number.parseInt(textAfter(url, 'gte:'), 10)));
  return listText(url.includes('match=') ? [findRecord.get(textAfter(url, 'match='))] : listRecords.all());
}

function send(response: ServerResponse, body: string): void {
  const headers = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))];
  response.writeHead(200, headers).end(body);
}

const waiting: Commit[] = [];

function commitAll(): void {
  const commits = waiting.splice(0);
  database.exec('begin immediate');
  for (const { name, data } of commits.flatMap(({ operations }) => operations)) {
    insertRecord.run(name, data.x, recordText([1, name, 1, JSON.stringify(data), HASH, 'bare', 1]));
  }
  database.exec('commit');
  for (const { operations, response } of commits) {
    const names = operations.map(({ name }) => [name, HASH] as const);
    send(response, commitText(1, HASH, names));
  }
}

const mcp = createMcpHandler(
  () => {
    const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', ({ params }) => {
      const text = itemOf(findRecord.get(String(params.arguments?.wref)));
      return { structuredContent: JSON.parse(text) as Record<string, unknown>, content: [{ type: 'text', text }] };
    });
    return server;
  },
  { maxSubscriptions: 0 },
);
const OF_PROTOCOL = /^(mcp-.*|accept|content-type)$/;

async function call({ url = '', headers }: IncomingMessage, response: ServerResponse, message: object): Promise<void> {
  const passed = Object.entries(headers).filter(([name]) => OF_PROTOCOL.test(name)) as [string, string][];
  const request = new Request(`http://localhost${url}`, { method: 'POST', headers: passed });
  send(response, await (await mcp.fetch(request, { parsedBody: message })).text());
}

createServer((request, response) => {
  if (request.method === 'GET') return send(response, answerText(request.url ?? ''));
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const sent = JSON.parse(Buffer.concat(parts).toString()) as Commit;
    if (request.url === '/mcp') return void call(request, response, sent);
    const { operations } = sent;
    if (waiting.push({ operations, response }) === 1) setImmediate(commitAll);
  });
}).listen(Number(port), '127.0.0.1');
process.once('disconnect', () => process.exit());
