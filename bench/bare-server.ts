// The least that can serve a read: a plain server that runs the statements that Cairn runs for a request, on the same
// database, and sends the body that Cairn sends. A process of its own, told by a message what to serve.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { compileGlob } from '@cairn/model/glob';
import postgres from 'postgres';
import type { StoreLocation, Value } from '../packages/server/src/engine/database.ts';
import { PLANNED_ONCE } from '../packages/server/src/engine/postgres/postgres.ts';
import { searchFile } from '../packages/server/src/engine/sqlite/side-file.ts';
import type { RecordedRequest, RecordedStatement } from './read-recording.ts';

export interface BareService {
  readonly location: StoreLocation;
  readonly requests: readonly RecordedRequest[];
}

type Replay = () => Promise<void>;

function onSqlite(file: string): (statements: readonly RecordedStatement[]) => Replay {
  const files = { records: open(file), search: open(searchFile(file)) };
  return (statements) => {
    const prepared = statements.map(({ from, sql, params }) => ({ statement: files[from].prepare(sql), params }));
    return async () => {
      for (const { statement, params } of prepared) for (const values of params) statement.all(...values);
    };
  };
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true });
  database.function('matches_glob', { deterministic: true }, (glob, name) =>
    Number(compileGlob(String(glob))(String(name))),
  );
  return database;
}

function onPostgres(url: string): (statements: readonly RecordedStatement[]) => Replay {
  const clients = {
    records: postgres(url, { max: 10, connection: PLANNED_ONCE }),
    search: postgres(url, { max: 2, connection: { plan_cache_mode: 'force_generic_plan' } }),
  };
  return (statements) => async () => {
    for (const { from, sql, params } of statements)
      for (const values of params) await clients[from].unsafe(sql, values as Value[], { prepare: true });
  };
}

function serve({ location, requests }: BareService): void {
  const replayOf = location.engine === 'sqlite' ? onSqlite(location.file) : onPostgres(location.url);
  const served = new Map(
    requests.map(({ path, json = '', statements, body }) => [path + json, { replay: replayOf(statements), body }]),
  );
  const server = createServer(async (request, response) => {
    const found = served.get(`${request.url}${request.method === 'POST' ? await text(request) : ''}`);
    if (found === undefined) return response.writeHead(404).end();
    await found.replay();
    const { body } = found;
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return response.writeHead(200, headers).end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.once('message', (service) => serve(service as BareService));
process.once('disconnect', () => process.exit());
