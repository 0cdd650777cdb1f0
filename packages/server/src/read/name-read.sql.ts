// The names of a record over time. Both its own renames and those of its shape change its full name.

import type { RecordName } from '@cairn/model/wref';
import type { NameItem } from '@cairn/protocol/read';
import type { Grant } from '../access/grant.rule.ts';
import { compileNarrowing } from '../access/narrowing.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { giveTurn } from '../engine/read-bounds.ts';
import { type NamedRow, NOW_COLUMNS, toNamed } from './hidden-target.sql.ts';
import { fullName, nameAt } from './target-name.sql.ts';

interface NamePage {
  readonly recordId: number;
  readonly atRepoSeq: number;
  readonly after: number | undefined;
  readonly limit: number;
}

interface NameRow extends NamedRow {
  readonly repo_seq: number;
  readonly created_at: number;
  readonly created_by: string;
}

const renamesOf = (record: string) => `select distinct repo_seq from rename
  where repo_id = $1 and record_id = ${record} and repo_seq > $2 and repo_seq <= $3 order by repo_seq limit $4`;

const FIND_RENAMES: BulkStatement = {
  each: renamesOf('$5'),
  set: `select k.ord::int as ord, renamed.repo_seq from unnest($5::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (${renamesOf('k.record_id')}) as renamed`,
};

const nameColumns = (seq: string) => `r.record_id, r.kind, ${NOW_COLUMNS}, ${nameAt('r', seq)} as name,
  ${nameAt('s', seq)} as shape_name, c.repo_seq, c.created_at, c.created_by`;

const FIND_NAMES: BulkStatement = {
  each: `select ${nameColumns('$3')} from record r left join record s on s.repo_id = $1 and s.record_id = r.shape_id
    join "commit" c on c.repo_id = $1 and c.repo_seq = $3 where r.repo_id = $1 and r.record_id = $2`,
  set: `select k.ord::int as ord, ${nameColumns('k.repo_seq')}
    from unnest($3::bigint[]) with ordinality as k (repo_seq, ord)
    cross join lateral (select * from record where repo_id = $1 and record_id = $2 limit 1) as r
    left join lateral (select repo_id, record_id, name from record where repo_id = $1 and record_id = r.shape_id limit 1) as s on true
    cross join lateral (select repo_seq, created_at, created_by from "commit"
      where repo_id = $1 and repo_seq = k.repo_seq limit 1) as c`,
};

export async function listNames(reader: Reader, grant: Grant, page: NamePage): Promise<NameItem[]> {
  const isShown = compileNarrowing(grant.narrowing);
  const found: NameItem[] = [];
  const { shape_id, created_seq } = await findOrigin(reader, grant, page);
  // A copy does not know earlier names.
  let start = page.after ?? Math.max(created_seq, grant.repository.importedRepoSeq ?? 0);
  for (let isFirst = page.after === undefined; found.length < page.limit; isFirst = false) {
    const rows = await findNameRows(reader, grant, { ...page, shapeId: shape_id, start });
    const changed = rows.filter((row, at) => {
      const before = rows[at - 1];
      return before === undefined ? isFirst : fullName(row) !== fullName(before);
    });
    found.push(...changed.filter((row) => isShown(toNamed(row))).map((row) => toNameItem(grant, row)));
    if (rows.length <= page.limit) break;
    start = rows.at(-1)?.repo_seq ?? page.atRepoSeq;
    await giveTurn();
  }
  return found.slice(0, page.limit);
}

interface OriginRow {
  readonly shape_id: number;
  readonly created_seq: number;
}

async function findOrigin(reader: Reader, { repoId }: Grant, { recordId }: NamePage): Promise<OriginRow> {
  const [row] = await reader.query<OriginRow>(
    'select shape_id, created_seq from record where repo_id = $1 and record_id = $2',
    [repoId, recordId],
  );
  return row ?? { shape_id: 0, created_seq: 0 };
}

interface NameStep extends NamePage {
  readonly shapeId: number;
  readonly start: number;
}

async function findNameRows(reader: Reader, { repoId }: Grant, step: NameStep): Promise<NameRow[]> {
  const { recordId, shapeId, atRepoSeq, limit, start } = step;
  const renamed = await reader.bulk<{ repo_seq: number }>(FIND_RENAMES, {
    common: [repoId, start, atRepoSeq, limit],
    rows: [[recordId], [shapeId]],
  });
  const seqs = [...new Set(renamed.map(({ repo_seq }) => repo_seq))].sort((a, b) => a - b).slice(0, limit);
  const rows = await reader.bulk<NameRow>(FIND_NAMES, {
    common: [repoId, recordId],
    rows: [start, ...seqs].map((seq) => [seq]),
  });
  return rows.sort((a, b) => a.ord - b.ord);
}

function toNameItem({ repository: { importedRepoSeq = 0 } }: Grant, row: NameRow): NameItem {
  const { repo_seq: repoSeq, created_by: createdBy, created_at: createdAt } = row;
  return { name: fullName(row), repoSeq, createdBy, ...(repoSeq <= importedRepoSeq && { imported: true }), createdAt };
}

const lastBearer = (shape: string, name: string) =>
  `(select record_id from name where repo_id = $1 and shape_id = ${shape} and name = ${name} order by from_seq desc limit 1)`;

const findPresent = (bearer: string) => `select r.name, s.name as shape_name from record r
  left join record s on s.repo_id = $1 and s.record_id = r.shape_id where r.repo_id = $1 and r.record_id = ${bearer}`;

const PRESENT_OF_SHAPE = findPresent(lastBearer('0', '$2'));
const PRESENT_OF_RECORD = findPresent(lastBearer(lastBearer('0', '$2'), '$3'));

/** Nobody may learn that two names belong to one record without seeing both, so partial views get none. */
export async function findPresentName(
  reader: Reader,
  { repoId, renamedSeq, narrowing }: Grant,
  { shapeName, local }: RecordName,
): Promise<string | undefined> {
  if (renamedSeq === 0 || narrowing !== undefined) return undefined;
  const [row] =
    local === ''
      ? await reader.query<{ name: string; shape_name: string | null }>(PRESENT_OF_SHAPE, [repoId, shapeName])
      : await reader.query<{ name: string; shape_name: string | null }>(PRESENT_OF_RECORD, [repoId, shapeName, local]);
  const present = row && fullName(row);
  return present === (local === '' ? shapeName : `${shapeName}/${local}`) ? undefined : present;
}
