// What is left to check when all rows of an import are here, and to derive from them: the entries of its commits, where its
// references lead, and which fields are indexed. One bounded step at a time.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { INSERT_SHAPE_FIELDS } from '../commit/statement.sql.ts';
import type { WriterMemory } from '../commit/writer-memory.rule.ts';
import type { Reader, Transaction, Value } from '../engine/database.ts';
import { parseIdentity, parseReferences, type Reference } from '../model/reference.ts';
import { findCommits } from './commit-write.sql.ts';
import { findHeld } from './held-record.sql.ts';
import type { ImportRow } from './import-row.sql.ts';
import { ADD_ENTRIES, type CommitRow, FIND_LAST_VERSIONS, FIND_REFERENCES, type HeldRow } from './statement.sql.ts';

const ENTRIES_A_STEP = 5_000;
/** Beyond this, what reads the commits of a repository would hold too much at once. */
const COMMIT_ENTRIES_MAX = 100_000;

interface EntryRow {
  readonly repo_seq: number;
  readonly record_id: number;
  readonly version: number;
  readonly renamed: number;
}

/** Writes the next entries into their commits; answers how many. */
export async function writeEntries(tx: Transaction, { repo_id }: ImportRow): Promise<number> {
  const entries = await tx.query<EntryRow>(
    `select repo_seq, record_id, version, renamed from import_entry where repo_id = $1
     order by repo_seq, record_id, version, renamed limit ${ENTRIES_A_STEP}`,
    [repo_id],
  );
  const last = entries.at(-1);
  if (last === undefined) return 0;
  const bySeq = Map.groupBy(entries, ({ repo_seq }) => repo_seq);
  const commits = await findCommits(tx, repo_id, [...bySeq.keys()]);
  await checkCommitters(tx, repo_id, [...commits.values()]);
  const rows = [...bySeq].map(([seq, some]) => {
    const before = commits.get(seq)?.operation_count ?? 0;
    if (before + some.length > COMMIT_ENTRIES_MAX) throw tooMany(seq);
    return [seq, some.length, some.map((entry, index) => entryText(entry, before + index)).join(',')];
  });
  await tx.bulk(ADD_ENTRIES, { common: [repo_id], rows });
  await tx.query(
    `delete from import_entry where repo_id = $1 and (repo_seq, record_id, version, renamed) <= ($2, $3, $4, $5)`,
    [repo_id, last.repo_seq, last.record_id, last.version, last.renamed],
  );
  return entries.length;
}

/** In the form of commit/chain.ts; which operation it was is not known any more. */
function entryText({ record_id, version, renamed }: EntryRow, opIndex: number): string {
  return `[${opIndex},${record_id},${version}${renamed === 1 ? ',"rename"' : ''}]`;
}

function tooMany(seq: number): CairnError {
  return refused(`more than ${COMMIT_ENTRIES_MAX} rows are of sequence ${seq}, and no commit is that large.`);
}

/** What is wrong with the export as a whole: no line alone is to blame. */
export function refused(message: string): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `The export does not hold together: ${message}`,
    hint: 'Export again if the file was changed or damaged. Abort this import with import.abort.',
  });
}

async function checkCommitters(reader: Reader, repoId: number, commits: readonly CommitRow[]): Promise<void> {
  const targets = commits.flatMap(({ repo_seq, committer, committer_identity }) => {
    const identity = committer_identity === null ? undefined : parseIdentity(committer_identity);
    if (identity?.repoId !== repoId) return [];
    return [{ ...identity, what: `sequence ${repo_seq} was committed for ${committer}` }];
  });
  await checkTargets(reader, repoId, targets);
}

/** A record that is referred to. */
export interface Target {
  readonly recordId: number;
  readonly version: number;
  /** Who refers to it, in words. */
  readonly what: string;
}

export async function checkTargets(reader: Reader, repoId: number, targets: readonly Target[]): Promise<void> {
  const [lost] = await findLost(reader, repoId, targets);
  if (lost !== undefined) throw refused(`${lost.what}, which the export does not hold.`);
}

/** Those that are not here. A version that is referred to need not be, but there must have been one. */
export async function findLost(reader: Reader, repoId: number, targets: readonly Target[]): Promise<Target[]> {
  const ids = [...new Set(targets.map(({ recordId }) => recordId))];
  const found = await reader.bulk<{ version: number }>(FIND_LAST_VERSIONS, {
    common: [repoId],
    rows: ids.map((id) => [id]),
  });
  const versions = new Map(found.map(({ ord, version }) => [ids[ord], version]));
  return targets.filter(({ recordId, version }) => version > (versions.get(recordId) ?? 0));
}

const REFERENCES_A_STEP = 5_000;
const REFERENCE_KEY = ['target_id', 'role', 'repo_id', 'record_id', 'path', 'from_seq'] as const;
const FIRST_REFERENCE: Value[] = [0, '', 0, 0, '', 0];

interface ReferenceRow {
  readonly target_id: number;
  readonly role: string;
  readonly repo_id: number;
  readonly record_id: number;
  readonly path: string;
  readonly from_seq: number;
  readonly target_version: number;
  readonly held: number | null;
}

/** Checks where the next references within the repository lead; answers the place to go on, or none. */
export async function checkReferences(tx: Transaction, { repo_id, place }: ImportRow): Promise<string | null> {
  const after = place === null ? FIRST_REFERENCE : (JSON.parse(place) as Value[]);
  const key = REFERENCE_KEY.join(', ');
  const rows = await tx.query<ReferenceRow>(
    `select ${key}, target_version,
       (select version from record t where t.repo_id = $1 and t.record_id = ref.target_id) as held
     from ref where target_repo_id = $1 and (${key}) > ($2, $3, $4, $5, $6, $7)
     order by ${key} limit ${REFERENCES_A_STEP}`,
    [repo_id, ...after],
  );
  const lost = rows.find((row) => row.repo_id === repo_id && row.target_version > (row.held ?? 0));
  if (lost !== undefined) throw refused(await lostReference(tx, repo_id, lost));
  const last = rows.at(-1);
  if (last === undefined || rows.length < REFERENCES_A_STEP) return null;
  return JSON.stringify(REFERENCE_KEY.map((column) => last[column]));
}

async function lostReference(reader: Reader, repoId: number, row: ReferenceRow): Promise<string> {
  const [source] = await reader.query<{ name: string; shape_name: string | null }>(
    `select r.name, s.name as shape_name from record r left join record s on s.repo_id = $1 and s.record_id = r.shape_id
     where r.repo_id = $1 and r.record_id = $2`,
    [repoId, row.record_id],
  );
  const name = source?.shape_name ? `${source.shape_name}/${source.name}` : source?.name;
  const target = `version ${row.target_version} of record ${row.target_id}`;
  return `${name} refers${row.path === '' ? '' : ` at ${row.path}`} to ${target}, which the export does not hold.`;
}

const SHAPES_A_STEP = 100;

/** Of the next shapes: what their versions refer to, and which fields are indexed. The index itself is built later. */
export async function indexShapes(tx: Transaction, row: ImportRow, memory: WriterMemory): Promise<string | null> {
  const { repo_id, place } = row;
  const named = await tx.query<{ name: string; record_id: number }>(
    `select name, record_id from name where repo_id = $1 and shape_id = 0 and name > $2
     order by name limit ${SHAPES_A_STEP}`,
    [repo_id, place ?? ''],
  );
  const shapes = await findHeld(
    tx,
    repo_id,
    named.map(({ record_id }) => record_id),
  );
  const fields = [...shapes.values()].flatMap(({ record_id, from_seq, data, data_hash }) =>
    memory.validator({ data, dataHash: data_hash }).indexedFields.map(({ path }, index) => {
      return [record_id, index + 1, path, from_seq, 0];
    }),
  );
  await tx.bulk(INSERT_SHAPE_FIELDS, { common: [repo_id], rows: fields });
  await checkShapeVersions(tx, repo_id, [...shapes.values()]);
  return named.length < SHAPES_A_STEP ? null : (named.at(-1)?.name ?? null);
}

/** Of versions that are no heads any more, which the reference index does not know. */
async function checkShapeVersions(reader: Reader, repoId: number, shapes: readonly HeldRow[]): Promise<void> {
  const versions = await reader.bulk<{ refs: string }>(FIND_REFERENCES, {
    common: [repoId],
    rows: shapes.map(({ record_id }) => [record_id]),
  });
  const targets = versions.flatMap(({ ord, refs }) => {
    return targetsOf(repoId, parseReferences(refs), shapes[ord]?.name ?? '');
  });
  await checkTargets(reader, repoId, targets);
}

export function targetsOf(repoId: number, references: readonly Reference[], name: string): Target[] {
  return references
    .filter((reference) => reference.repoId === repoId)
    .map(({ recordId, version, path }) => ({
      recordId,
      version,
      what: `${name} refers${path === '' ? '' : ` at ${path}`} to version ${version} of record ${recordId}`,
    }));
}
