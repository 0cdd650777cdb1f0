// The least that can export: a plain server that goes through the same rows of a SQLite database with one statement, and
// writes their columns into the socket, or into a file. A process of its own, told by a message what to serve.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

const ROWS = `select r.record_id, r.kind, s.name as shape_name, r.name, r.created_seq, r.about, r.about_wref, v.version,
    v.from_seq, v.operation, v.active, v.shape_version, v.reason, v.data_hash, v.data, v.refs,
    c.created_at, c.created_by, c.committer, c.committer_identity, born.created_at as record_created_at
  from record r
  cross join version v on v.repo_id = r.repo_id and v.record_id = r.record_id and v.version = r.version
  left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id
  join "commit" c on c.repo_id = r.repo_id and c.repo_seq = v.from_seq
  join "commit" born on born.repo_id = r.repo_id and born.repo_seq = r.created_seq
  where r.repo_id = ?1 order by r.record_id`;

const PIECE_CHARACTERS = 65_536;

async function writeRows(database: DatabaseSync, to: Writable): Promise<void> {
  let text = '';
  for (const row of database.prepare(ROWS).iterate(1)) {
    text += `${columnsOf(row)}\n`;
    if (text.length < PIECE_CHARACTERS) continue;
    if (!to.write(text)) await once(to, 'drain');
    text = '';
  }
  to.end(text);
}

/** As few steps as a row can be made text with. */
function columnsOf(row: Record<string, unknown>): string {
  const hash = Buffer.from(row.data_hash as Uint8Array).toString('hex');
  return `${row.record_id},${row.kind},${row.shape_name}/${row.name},${row.created_seq},${row.about},${row.about_wref},${row.version},${row.from_seq},${row.operation},${row.active},${row.shape_version},${row.reason},${hash},${row.data},${row.refs},${row.created_at},${row.created_by},${row.committer},${row.committer_identity},${row.record_created_at}`;
}

function serve(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  const server = createServer(async (request, response) => {
    response.writeHead(200);
    if (request.url === '/socket') return await writeRows(database, response);
    const start = performance.now();
    const stream = createWriteStream(`${file}.bare`);
    await writeRows(database, stream);
    await finished(stream);
    return response.end(String((performance.now() - start) / 1_000));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.once('message', (file) => serve(file as string));
process.once('disconnect', () => process.exit());
