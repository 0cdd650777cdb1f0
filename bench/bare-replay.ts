// The least that can write what Cairn wrote: bare `node:sqlite` inserts the very rows, into the same tables and indexes,
// with the same durability and the same transactions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../packages/server/src/engine/migration.ts';
import { openSqliteWriter } from '../packages/server/src/engine/sqlite/writer.ts';

/** By the column that says which commit a row is of. */
const TABLES = {
  record: 'created_seq',
  version: 'from_seq',
  name: 'from_seq',
  ref: 'from_seq',
  field_index: 'from_seq',
  '"commit"': 'repo_seq',
} as const;

type Cell = string | number | null | Uint8Array;

/** Seconds that bare SQLite takes for the rows of all commits but the first, one transaction a commit. */
export async function replayBare(source: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bare-'));
  const from = new DatabaseSync(source, { readOnly: true });
  const bare = await openBare(join(folder, 'bare.db'));
  const tables = Object.entries(TABLES).map(([table, sequence]) => ({
    rows: new RowsBySequence(from, { table, sequence }),
    insert: insertInto(bare, from, table),
  }));
  const advance = bare.prepare('update repo_sequence set repo_seq = ?, last_record_id = ? where repo_id = 1');
  const [last] = from.prepare('select max(repo_seq) as seq from "commit"').all() as { seq: number }[];
  let seconds = 0;
  for (let seq = 2; seq <= (last?.seq ?? 0); seq++) {
    const rows = tables.map((table) => table.rows.take(seq));
    const start = performance.now();
    bare.exec('begin immediate');
    for (const [index, { insert }] of tables.entries()) for (const row of rows[index] ?? []) insert.run(...row);
    advance.run(seq, seq);
    bare.exec('commit');
    seconds += (performance.now() - start) / 1_000;
  }
  bare.close();
  from.close();
  rmSync(folder, { recursive: true });
  return seconds;
}

async function openBare(file: string): Promise<DatabaseSync> {
  const writer = openSqliteWriter(file);
  await migrate(writer);
  await writer.close();
  const bare = new DatabaseSync(file);
  bare.exec('pragma journal_mode = wal');
  bare.exec('pragma synchronous = full');
  bare.exec('pragma foreign_keys = off');
  bare.exec('insert into repo_sequence (repo_id, repo_seq, last_record_id) values (1, 1, 1)');
  return bare;
}

function insertInto(bare: DatabaseSync, from: DatabaseSync, table: string) {
  const columns = from.prepare(`pragma table_info(${table})`).all().length;
  return bare.prepare(`insert into ${table} values (${Array.from({ length: columns }, () => '?').join(', ')})`);
}

/** The rows of a table, commit by commit. */
class RowsBySequence {
  readonly #rows: Iterator<Record<string, Cell>>;
  readonly #sequence: string;
  #next: Record<string, Cell> | undefined;

  constructor(from: DatabaseSync, { table, sequence }: { table: string; sequence: string }) {
    const select = from.prepare(`select * from ${table} where ${sequence} >= 2 order by ${sequence}`);
    this.#rows = select.iterate() as Iterator<Record<string, Cell>>;
    this.#sequence = sequence;
    this.#next = this.#rows.next().value;
  }

  take(seq: number): Cell[][] {
    const rows: Cell[][] = [];
    while (this.#next?.[this.#sequence] === seq) {
      rows.push(Object.values(this.#next));
      this.#next = this.#rows.next().value;
    }
    return rows;
  }
}
