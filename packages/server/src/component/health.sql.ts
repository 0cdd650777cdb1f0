// Which records there are of those that a component cannot do without.

import type { BulkStatement, Reader } from '../engine/database.ts';
import type { RecordName } from '../model/record-name.ts';

const FIND_ACTIVE: BulkStatement = {
  single: true,
  each: `select r.record_id from name s
    join name n on n.repo_id = s.repo_id and n.shape_id = s.record_id and n.name = $3 and n.to_seq is null
    join record r on r.repo_id = n.repo_id and r.record_id = n.record_id and r.active = 1
    where s.repo_id = $1 and s.shape_id = 0 and s.name = $2 and s.to_seq is null limit 1`,
  set: `select k.ord::int as ord, r.record_id
    from unnest($2::text[], $3::text[]) with ordinality as k (shape, name, ord)
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = 0 and name = k.shape collate "C" and to_seq is null limit 1) as s
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = s.record_id and name = k.name collate "C" and to_seq is null limit 1) as n
    cross join lateral (select record_id from record
      where repo_id = $1 and record_id = n.record_id and active = 1 limit 1) as r`,
};

/** In the order given: whether each is there, and not retracted. */
export async function findActive(
  reader: Reader,
  { repoId, names }: { repoId: number; names: readonly RecordName[] },
): Promise<boolean[]> {
  const rows = names.map(({ shapeName, local }) => [shapeName, local]);
  const found = await reader.bulk<{ record_id: number }>(FIND_ACTIVE, { common: [repoId], rows });
  const there = new Set(found.map(({ ord }) => ord));
  return names.map((_, ord) => there.has(ord));
}
