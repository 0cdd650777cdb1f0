// Walks the commits between two sequences and returns a record at the commit that changed it last.

import { formatDurableId } from '@cairn/model/wref';
import type { RecordChange } from '@cairn/protocol/read';
import type { Grant } from '../access/grant.rule.ts';
import { compileNarrowing, type IsShown } from '../access/narrowing.rule.ts';
import type { CommitEntry } from '../commit/integrity.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { type LongRead, STEP_ROWS } from '../engine/read-bounds.ts';
import { type NamedRow, NOW_COLUMNS, toNamed } from './hidden-target.sql.ts';
import { fullName, nameAt, versionAt } from './target-name.sql.ts';

interface ChangePlace {
  readonly repoSeq: number;
  readonly recordId: number;
}

export interface ChangeRange {
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
}

interface ChangePage extends ChangeRange {
  readonly shape: string | undefined;
  readonly kind: string | undefined;
  readonly matches: ((name: string) => boolean) | undefined;
  readonly after: ChangePlace | undefined;
  readonly limit: number;
  readonly longRead: LongRead;
}

export interface ChangeRow extends NamedRow {
  readonly kind: RecordChange['kind'];
  readonly version: number;
  readonly active: number;
  readonly from_seq: number;
  readonly renamed_seq: number | null;
  readonly name_before: string;
  readonly shape_name_before: string | null;
  readonly version_before: number | null;
  readonly active_before: number | null;
}

// `$2` is the earlier sequence, `$3` the later one.
export const CHANGE_COLUMNS = `r.record_id, r.kind, ${NOW_COLUMNS},
  ${nameAt('r', '$3')} as name, ${nameAt('s', '$3')} as shape_name,
  ${nameAt('r', '$2')} as name_before, ${nameAt('s', '$2')} as shape_name_before,
  (select max(repo_seq) from rename where repo_id = $1 and record_id = r.record_id and repo_seq <= $3) as renamed_seq,
  v.version, v.active, v.from_seq, b.version as version_before, b.active as active_before`;

const VERSION_BEFORE = `case when r.created_seq <= $2 then ${versionAt('r', '$2')} end`;

const CHANGE_JOIN = `left join record s on s.repo_id = $1 and s.record_id = r.shape_id
  left join version b on b.repo_id = $1 and b.record_id = r.record_id and b.version = ${VERSION_BEFORE}`;

export const findChangesSql = (columns: string): BulkStatement => ({
  each: `select ${columns} from version v join record r on r.repo_id = $1 and r.record_id = $4 ${CHANGE_JOIN}
    where v.repo_id = $1 and v.record_id = $4 and v.version = $5 and (v.to_seq is null or v.to_seq > $3)`,
  set: `select k.ord::int as ord, ${columns}
    from unnest($4::bigint[], $5::bigint[]) with ordinality as k (record_id, version, ord)
    cross join lateral (select * from version where repo_id = $1 and record_id = k.record_id and version = k.version
      and (to_seq is null or to_seq > $3) limit 1) as v
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
    ${CHANGE_JOIN}`,
});

const FIND_CHANGES = findChangesSql(CHANGE_COLUMNS);

export async function listChanges(reader: Reader, grant: Grant, page: ChangePage): Promise<RecordChange[]> {
  const isShown = compileNarrowing(grant.narrowing);
  const found: RecordChange[] = [];
  for await (const rows of changeSteps<ChangeRow>(reader, grant, { range: page, ...page, statement: FIND_CHANGES })) {
    const asked = rows.filter((row) => isDifferent(row) && isShown(toNamed(row)) && isAskedFor(page, row));
    found.push(...asked.map((row) => toChange(grant, row, isShown)));
    if (found.length >= page.limit) break;
    await page.longRead.turn();
  }
  return found.slice(0, page.limit);
}

interface ChangeWalk {
  readonly range: ChangeRange;
  readonly after?: ChangePlace | undefined;
  readonly limit: number;
  readonly statement: BulkStatement;
}

export async function* changeSteps<Row extends ChangeRow>(
  reader: Reader,
  { repoId }: Pick<Grant, 'repoId'>,
  { range, after, limit, statement }: ChangeWalk,
): AsyncGenerator<Row[]> {
  for await (const candidates of candidateSteps(reader, repoId, { ...range, after, limit })) {
    const rows = await reader.bulk<Row>(statement, {
      common: [repoId, range.sinceRepoSeq, range.atRepoSeq],
      rows: candidates.map(({ recordId, version }) => [recordId, version]),
    });
    yield rows.sort((a, b) => a.ord - b.ord).filter((row) => lastSeqOf(row) === candidates[row.ord]?.repoSeq);
  }
}

interface Candidate extends ChangePlace {
  readonly version: number;
}

async function* candidateSteps(
  reader: Reader,
  repoId: number,
  page: Pick<ChangePage, keyof ChangeRange | 'after' | 'limit'>,
): AsyncGenerator<Candidate[]> {
  const { sinceRepoSeq, atRepoSeq, after = { repoSeq: sinceRepoSeq + 1, recordId: 0 } } = page;
  let rows = Math.min(page.limit, STEP_ROWS);
  for (let next = after.repoSeq - 1; next < atRepoSeq; ) {
    const commits = await findCommits(reader, repoId, { from: next, to: atRepoSeq, rows });
    const candidates = commits.flatMap(candidatesIn).filter((candidate) => isBeyond(candidate, after));
    for (let at = 0; at < candidates.length; at += rows) yield candidates.slice(at, at + rows);
    next = commits.at(-1)?.repo_seq ?? atRepoSeq;
    rows = Math.min(rows * 2, STEP_ROWS);
  }
}

function isBeyond({ repoSeq, recordId }: ChangePlace, after: ChangePlace): boolean {
  return repoSeq > after.repoSeq || (repoSeq === after.repoSeq && recordId > after.recordId);
}

interface CommitRow {
  readonly repo_seq: number;
  readonly entries: string;
}

async function findCommits(
  reader: Reader,
  repoId: number,
  { from, to, rows }: { from: number; to: number; rows: number },
): Promise<CommitRow[]> {
  return await reader.query<CommitRow>(
    `select repo_seq, entries from "commit" where repo_id = $1 and repo_seq > $2 and repo_seq <= (
       select max(repo_seq) from (
         select repo_seq, sum(operation_count) over (order by repo_seq) - operation_count as held_before
         from (select repo_seq, operation_count from "commit"
           where repo_id = $1 and repo_seq > $2 and repo_seq <= $3 order by repo_seq limit $4) as next) as sized
       where held_before < $4)
     order by repo_seq`,
    [repoId, from, to, rows],
  );
}

function candidatesIn({ repo_seq, entries }: CommitRow): Candidate[] {
  const versions = new Map<number, number>();
  for (const [, recordId, version] of JSON.parse(entries) as CommitEntry[]) versions.set(recordId, version);
  return [...versions]
    .sort(([a], [b]) => a - b)
    .map(([recordId, version]) => ({ repoSeq: repo_seq, recordId, version }));
}

export const lastSeqOf = ({ from_seq, renamed_seq }: ChangeRow) => Math.max(from_seq, renamed_seq ?? 0);

export function isDifferent({ version, version_before, name, name_before }: ChangeRow): boolean {
  return version !== version_before || name !== name_before;
}

function isAskedFor({ shape, kind, matches }: ChangePage, row: ChangeRow): boolean {
  if (shape !== undefined && row.shape_name !== shape) return false;
  if (kind !== undefined && row.kind !== kind) return false;
  return matches === undefined || matches(fullName(row));
}

/** A record whose earlier name was hidden counts as new. */
function toChange({ repoId }: Grant, found: ChangeRow, isShown: IsShown): RecordChange {
  const before = { ...found, name: found.name_before, shape_name: found.shape_name_before };
  const row = isShown(toNamed(before)) ? found : { ...found, version_before: null, active_before: null };
  const { record_id: recordId, kind, shape_name, version, version_before } = row;
  const isRenamed = version_before !== null && fullName(before) !== fullName(row);
  return {
    durableId: formatDurableId({ repoId, recordId }),
    name: fullName(row),
    kind,
    ...(shape_name !== null && { shapeName: shape_name }),
    change: kindOfChange(row),
    version,
    ...(version_before !== null && { versionBefore: version_before }),
    ...(isRenamed && { nameBefore: fullName(before) }),
    repoSeq: lastSeqOf(row),
  };
}

function kindOfChange({ version, active, version_before, active_before }: ChangeRow): RecordChange['change'] {
  if (version_before === null) return 'added';
  if (active !== active_before) return active === 1 ? 'restored' : 'retracted';
  return version === version_before ? 'renamed' : 'revised';
}
