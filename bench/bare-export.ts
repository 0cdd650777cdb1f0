// The least that can export: a plain server that goes through the same rows of a database with one statement, and writes their
// columns into the socket, or into a file. A process of its own, told by a message what to serve.
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import postgres from 'postgres';
import type { StoreLocation } from '../packages/server/src/engine/database.ts';

/** `cross join` tells SQLite in which order to go through them; PostgreSQL decides by itself. */
const rowsSql = (
  join: 'cross join' | 'join',
) => `select r.record_id, r.kind, s.name as shape_name, r.name, r.created_seq, r.about, r.about_wref, v.version,
    v.from_seq, v.operation, v.active, v.shape_version, v.reason, v.data_hash, v.data, v.refs,
    c.created_at, c.created_by, c.committer, c.committer_identity, born.created_at as record_created_at
  from record r
  ${join} version v on v.repo_id = r.repo_id and v.record_id = r.record_id and v.version = r.version
  left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id
  join "commit" c on c.repo_id = r.repo_id and c.repo_seq = v.from_seq
  join "commit" born on born.repo_id = r.repo_id and born.repo_seq = r.created_seq
  where r.repo_id = 1 order by r.record_id`;

const PIECE_CHARACTERS = 65_536;
const CURSOR_ROWS = 2_000;

type Row = Record<string, unknown>;
type WriteRows = (to: Writable) => Promise<void>;

/** Text that goes out in pieces. */
class Pieces {
  readonly #to: Writable;
  #text = '';

  constructor(to: Writable) {
    this.#to = to;
  }

  /** Whether to wait before the next one. */
  add(row: Row): boolean {
    this.#text += `${columnsOf(row)}\n`;
    if (this.#text.length < PIECE_CHARACTERS) return false;
    const isFull = !this.#to.write(this.#text);
    this.#text = '';
    return isFull;
  }

  async drained(): Promise<void> {
    await once(this.#to, 'drain');
  }

  end(): void {
    this.#to.end(this.#text);
  }
}

function onSqlite(file: string): WriteRows {
  const database = new DatabaseSync(file, { readOnly: true });
  return async (to) => {
    const pieces = new Pieces(to);
    for (const row of database.prepare(rowsSql('cross join')).iterate()) if (pieces.add(row)) await pieces.drained();
    pieces.end();
  };
}

function onPostgres(url: string): WriteRows {
  const sql = postgres(url, { max: 1 });
  return async (to) => {
    const pieces = new Pieces(to);
    for await (const rows of sql.unsafe(rowsSql('join')).cursor(CURSOR_ROWS)) {
      for (const row of rows) if (pieces.add(row)) await pieces.drained();
    }
    pieces.end();
  };
}

/** As few steps as a row can be made text with. */
function columnsOf(row: Row): string {
  const hash = Buffer.from(row.data_hash as Uint8Array).toString('hex');
  return `${row.record_id},${row.kind},${row.shape_name}/${row.name},${row.created_seq},${row.about},${row.about_wref},${row.version},${row.from_seq},${row.operation},${row.active},${row.shape_version},${row.reason},${hash},${row.data},${row.refs},${row.created_at},${row.created_by},${row.committer},${row.committer_identity},${row.record_created_at}`;
}

function serve(location: StoreLocation): void {
  const writeRows = location.engine === 'sqlite' ? onSqlite(location.file) : onPostgres(location.url);
  const server = createServer(async (request, response) => {
    response.writeHead(200);
    if (request.url === '/socket') return await writeRows(response);
    const start = performance.now();
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bare-'));
    const stream = createWriteStream(join(folder, 'rows'));
    await writeRows(stream);
    await finished(stream);
    const seconds = (performance.now() - start) / 1_000;
    rmSync(folder, { recursive: true });
    return response.end(String(seconds));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.once('message', (location) => serve(location as StoreLocation));
process.once('disconnect', () => process.exit());
