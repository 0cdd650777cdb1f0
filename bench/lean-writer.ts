// Writer thread of the lean server. All commits that arrive together are one transaction and share its write to the
// disk.
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

export interface Operation {
  readonly name: string;
  readonly data: { readonly x: number; readonly label: string };
}

export interface Submission {
  readonly key: string;
  readonly author: string;
  readonly operations: readonly Operation[];
}

export type Outcome =
  | { readonly repoSeq: number; readonly commitId: string; readonly hashes: readonly string[] }
  | { readonly refused: string };
export type Numbered<Value> = readonly [number, Value];

// The table of changes keeps its rowid: without it, comparing index entries would read whole large rows.
const database = new DatabaseSync((workerData as { file: string }).file);
database.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32000;
  create table if not exists repository (id integer primary key, seq integer, chain text);
  insert or ignore into repository values (1, 0, '');
  create table if not exists record (repo integer, id integer, name text, version integer, primary key (repo, id)) without rowid;
  create unique index if not exists record_name on record (repo, name);
  create table if not exists version (repo integer, id integer, version integer, seq integer, data text, hash text,
    primary key (repo, id, version)) without rowid;
  create table if not exists number_field (repo integer, field integer, value real, id integer,
    primary key (repo, field, value, id)) without rowid;
  create table if not exists change (repo integer, seq integer, id text, author text, at integer, entries text,
    primary key (repo, seq));
  create table if not exists receipt (repo integer, key text, seq integer, primary key (repo, key)) without rowid`);
const findName = database.prepare('select 1 from record where repo = 1 and name = ?');
const findReceipt = database.prepare('select 1 from receipt where repo = 1 and key = ?');
const insertRecord = database.prepare('insert into record values (1, ?, ?, 1)');
const insertVersion = database.prepare('insert into version values (1, ?, 1, ?, ?, ?)');
const insertField = database.prepare('insert into number_field values (1, 1, ?, ?)');
const insertChange = database.prepare('insert into change values (1, ?, ?, ?, ?, ?)');
const insertReceipt = database.prepare('insert into receipt values (1, ?, ?)');
const updateState = database.prepare('update repository set seq = ?, chain = ? where id = 1');
const selectState = database.prepare(
  'select seq, chain, (select coalesce(max(id), 0) from record) as lastId from repository where id = 1',
);

const readState = () => selectState.get() as unknown as { seq: number; chain: string; lastId: number };
/** Read once, because nobody else writes. Each commit includes the hash of the previous one, its chain. */
let state = readState();

function findProblem({ key, operations }: Submission): string | undefined {
  if (findReceipt.get(key) !== undefined) return 'This was submitted before.';
  const names = new Set(operations.map(({ name }) => name));
  if (names.size < operations.length) return 'Two operations have the same name.';
  return operations.some(({ name }) => findName.get(name) !== undefined) ? 'A name is taken.' : undefined;
}

function apply(submission: Submission): Outcome {
  const refused = findProblem(submission);
  if (refused !== undefined) return { refused };
  const repoSeq = state.seq + 1;
  let { lastId } = state;
  const hashes = submission.operations.map(({ name, data: { label, x } }) => {
    const text = JSON.stringify({ label, x });
    const dataHash = hash('sha256', text);
    lastId++;
    insertRecord.run(lastId, name);
    insertVersion.run(lastId, repoSeq, text, dataHash);
    insertField.run(x, lastId);
    return dataHash;
  });
  const [at, entries] = [Date.now(), JSON.stringify(hashes)];
  const commitId = hash('sha256', `${state.chain} ${repoSeq} ${submission.author} ${at} ${entries}`);
  insertChange.run(repoSeq, commitId, submission.author, at, entries);
  insertReceipt.run(submission.key, repoSeq);
  state = { seq: repoSeq, chain: commitId, lastId };
  return { repoSeq, commitId, hashes };
}

function applyGroup(group: readonly Numbered<Submission>[]): Numbered<Outcome>[] {
  database.exec('begin immediate');
  try {
    const outcomes = group.map(([number, submission]) => [number, apply(submission)] as const);
    updateState.run(state.seq, state.chain);
    database.exec('commit');
    return outcomes;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    state = readState();
    return group.map(([number]) => [number, { refused: String(error) }]);
  }
}

const waiting: Numbered<Submission>[] = [];

parentPort?.on('message', (submissions: Numbered<Submission>[]) => {
  // More messages may have arrived already.
  if (waiting.length === 0) setImmediate(() => parentPort?.postMessage(applyGroup(waiting.splice(0))));
  waiting.push(...submissions);
});
// Signals that the tables exist.
parentPort?.postMessage([]);
