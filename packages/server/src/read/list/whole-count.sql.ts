// How many records there are of a shape or a kind, or in all, as the repository is now: what the head rows themselves tell,
// in one statement. However many there are, that takes a fraction of a second.

import type { Grant } from '../../access/grant.rule.ts';
import type { Database } from '../../engine/database.ts';
import { isStillHead } from './head-walk.sql.ts';
import type { RecordFilter } from './list-request.sql.ts';

/** `undefined` where each record must be looked at, or when the repository has gone on meanwhile. */
export async function countWhole(
  { beside }: Database,
  grant: Grant,
  filter: RecordFilter,
): Promise<number | undefined> {
  if (!isWhole(grant, filter)) return undefined;
  const { shape, kind } = filter;
  const [row] = await beside.query<{ count: number }>(
    `select count(*) as count from record where repo_id = $1 and active = 1
       ${shape === undefined ? '' : 'and shape_id = $2'} ${kind === undefined ? '' : `and kind = '${kind}'`}`,
    shape === undefined ? [grant.repoId] : [grant.repoId, shape.shapeId],
  );
  return (await isStillHead(beside, grant)) ? row?.count : undefined;
}

function isWhole({ narrowing, repository }: Grant, filter: RecordFilter): boolean {
  const { atRepoSeq, match, where, about, search, includeRetracted } = filter;
  if (narrowing !== undefined || includeRetracted || atRepoSeq !== repository.repoSeq) return false;
  return match === undefined && where.length === 0 && about === undefined && search === undefined;
}
