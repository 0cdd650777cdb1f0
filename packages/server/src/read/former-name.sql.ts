// Who bore a name last, and what it is called now: for people who ask by a name of before a rename.

import type { Grant } from '../access/grant.rule.ts';
import type { Reader } from '../engine/database.ts';
import type { RecordName } from '../model/record-name.ts';
import { fullName } from './target-name.sql.ts';

const lastBearer = (shape: string, name: string) =>
  `(select record_id from name where repo_id = $1 and shape_id = ${shape} and name = ${name} order by from_seq desc limit 1)`;

const findPresent = (bearer: string) => `select r.name, s.name as shape_name from record r
  left join record s on s.repo_id = $1 and s.record_id = r.shape_id where r.repo_id = $1 and r.record_id = ${bearer}`;

const PRESENT_OF_SHAPE = findPresent(lastBearer('0', '$2'));
const PRESENT_OF_RECORD = findPresent(lastBearer(lastBearer('0', '$2'), '$3'));

/**
 * The present name of what bore this one, where that is another. Undefined to who may not read all of the repository: that
 * two names are of one record is told to nobody who may not see both.
 */
export async function findPresentName(
  reader: Reader,
  { repoId, renamedSeq, narrowing }: Grant,
  { shapeName, local }: RecordName,
): Promise<string | undefined> {
  if (renamedSeq === 0 || narrowing !== undefined) return undefined;
  const [row] =
    local === ''
      ? await reader.query<PresentRow>(PRESENT_OF_SHAPE, [repoId, shapeName])
      : await reader.query<PresentRow>(PRESENT_OF_RECORD, [repoId, shapeName, local]);
  const present = row && fullName(row);
  return present === (local === '' ? shapeName : `${shapeName}/${local}`) ? undefined : present;
}

interface PresentRow {
  readonly name: string;
  readonly shape_name: string | null;
}
