// Where a value stands that is to be purged: in the data of versions, which can be, and elsewhere, which cannot.

import { PURGED_DATA } from '../commit/intact-data.rule.ts';
import type { Database, Reader } from '../engine/database.ts';
import { fullName } from '../read/target-name.sql.ts';

export interface PurgedRepository {
  readonly id: number;
  readonly organizationId: number;
}

/** Deleted ones too, as long as they are there. */
export async function findPurged(
  reader: Reader,
  { orgName, name }: { orgName: string; name: string },
): Promise<PurgedRepository | undefined> {
  const [found] = await reader.query<{ id: number; organization_id: number }>(
    `select r.id, r.organization_id from repository r join organization o on o.id = r.organization_id
     where o.name = $1 and r.name = $2`,
    [orgName, name],
  );
  return found && { id: found.id, organizationId: found.organization_id };
}

export async function hasOpenImport(reader: Reader, repoId: number): Promise<boolean> {
  const rows = await reader.query(`select import_id from import where repo_id = $1 and state <> 'complete'`, [repoId]);
  return rows.length > 0;
}

export interface NamedRecord {
  readonly recordId: number;
  readonly kind: string;
  /** As it is called now. */
  readonly name: string;
}

const NAMED = `select r.record_id, r.kind, r.name, s.name as shape_name from record r
  left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id where r.repo_id = $1`;

interface NamedRow {
  readonly record_id: number;
  readonly kind: string;
  readonly name: string;
  readonly shape_name: string | null;
}

const toNamed = (row: NamedRow): NamedRecord => ({ recordId: row.record_id, kind: row.kind, name: fullName(row) });

/** By what it is called now. */
export async function findNamedRecord(
  reader: Reader,
  repoId: number,
  { shapeName, local }: { shapeName: string; local: string },
): Promise<NamedRecord | undefined> {
  const [row] = await reader.query<{ record_id: number }>(
    `select n.record_id from name s join name n on n.repo_id = s.repo_id and n.shape_id = s.record_id
     where s.repo_id = $1 and s.shape_id = 0 and s.name = $2 and s.to_seq is null and n.name = $3 and n.to_seq is null`,
    [repoId, shapeName, local],
  );
  return row && (await findRecordById(reader, repoId, row.record_id));
}

export async function findRecordById(reader: Reader, repoId: number, recordId: number): Promise<NamedRecord> {
  const [row] = await reader.query<NamedRow>(`${NAMED} and r.record_id = $2`, [repoId, recordId]);
  return row === undefined ? { recordId, kind: 'thing', name: `record ${recordId}` } : toNamed(row);
}

export interface FoundVersion {
  readonly recordId: number;
  readonly version: number;
}

export interface VersionSearch {
  readonly repoId: number;
  readonly recordId?: number | undefined;
  /** Text that stands in a string of the data. */
  readonly containing?: string | undefined;
}

const POSITION = { sqlite: 'instr', postgres: 'strpos' } as const;
const ALL = 0;

/** Reads all data where no record is given: no index finds a text. */
export async function findVersions(database: Database, search: VersionSearch): Promise<FoundVersion[]> {
  const { repoId, recordId = ALL, containing = '' } = search;
  const rows = await database.beside.query<{ record_id: number; version: number }>(
    `select record_id, version from version where repo_id = $1 and (record_id = $2 or $2 = ${ALL})
       and data <> '${PURGED_DATA}' and ${POSITION[database.engine]}(data, $3) > 0 order by record_id, version`,
    [repoId, recordId, asInJson(containing)],
  );
  return rows.map(({ record_id, version }) => ({ recordId: record_id, version }));
}

/** In data a text stands as JSON spells it. An empty one stands everywhere: all data begins with a brace. */
const asInJson = (text: string) => (text === '' ? '{' : JSON.stringify(text).slice(1, -1));

/** What the chain of commits holds itself, and not by a hash: it cannot be taken out of history. */
const ELSEWHERE = {
  'the message of a commit': `"commit" where repo_id = $1 and {position}(message, $2) > 0`,
  'the reason of a retraction': 'version where repo_id = $1 and {position}(reason, $2) > 0',
  'the name of a record': 'record where repo_id = $1 and {position}(name, $2) > 0',
  'a former name of a record': 'rename where repo_id = $1 and {position}(old_name, $2) > 0',
} as const;

export async function findElsewhere(
  database: Database,
  { repoId, containing }: { repoId: number; containing: string },
): Promise<string[]> {
  const found: string[] = [];
  for (const [what, from] of Object.entries(ELSEWHERE)) {
    const sql = `select 1 as one from ${from.replace('{position}', POSITION[database.engine])} limit 1`;
    if ((await database.beside.query(sql, [repoId, containing])).length > 0) found.push(what);
  }
  return found;
}
