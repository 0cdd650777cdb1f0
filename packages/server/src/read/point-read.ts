// Reads one record by its present name: the remembered caller and repository, and one statement for all the rest.

import { followOf, grantOnce, rememberRepository } from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader } from '../engine/database.ts';
import { foundAt, type RepositoryAddress } from '../repository/repository.sql.ts';
import { SEQUENCE_COLUMNS, type SequenceRow } from '../repository/repository-sequence.sql.ts';
import { requireNamed } from './record.sql.ts';
import {
  COMMIT_JOIN,
  type ItemRow,
  type RenderedRecord,
  renderAtOnce,
  renderRecords,
  VERSION_COLUMNS,
} from './record-item.sql.ts';

/** Names without anything that could be spelled in two ways. All others are read in steps. */
const PLAIN_NAME = /^([A-Za-z][\w-]{0,99})\/([\w-]{1,200})$/;

/** Longer ones are measured before they are read. */
const DATA_CHARACTERS_MAX = 65_536;

// SQLite keeps to the order of cross joins, which goes from the shape to the name. At present a name and a version are those of the record itself. Nothing is stored beyond the present sequence, except
// while an import is under way, and then the row says so.
const FIND_POINT = `select repo_sequence.repo_id, ${SEQUENCE_COLUMNS}, v.record_id, r.kind, r.about,
  r.about_wref, r.created_seq, r.shape_id, r.name, r.name as name_now, $2 as shape_name, $2 as shape_name_now,
  ${VERSION_COLUMNS}
  from repo_sequence cross join name shape_name cross join name cross join record r
  join version v on v.repo_id = $1 and v.record_id = r.record_id and v.version = r.version ${COMMIT_JOIN}
  where repo_sequence.repo_id = $1
    and shape_name.repo_id = $1 and shape_name.shape_id = 0 and shape_name.name = $2 and shape_name.to_seq is null
    and name.repo_id = $1 and name.shape_id = shape_name.record_id and name.name = $3 and name.to_seq is null
    and r.repo_id = $1 and r.record_id = name.record_id and r.shape_id = name.shape_id`;

type PointRow = SequenceRow & ItemRow;

interface PointRead {
  readonly grant: Grant;
  readonly repoSeq: number;
  readonly record: RenderedRecord;
}

/** `undefined` for everything that is not quite simple. The other reads then tell what it is. */
export async function readPoint(
  context: Context,
  address: RepositoryAddress,
  name: string,
): Promise<PointRead | undefined> {
  const [, shapeName, local] = PLAIN_NAME.exec(name) ?? [];
  if (shapeName === undefined || local === undefined || followOf(context) !== undefined) return undefined;
  const repository = await rememberRepository(context, address);
  if (repository === undefined) return undefined;
  const { database } = context.store;
  const row = await findPoint(database, [repository.id, shapeName, local]);
  if (row === undefined || row.importing !== null) return undefined;
  const grant = grantOnce(context.principal, foundAt(repository, row), 'repo:read');
  if (row.active !== 1 || grant.narrowing !== undefined) return undefined;
  if (row.data.length > DATA_CHARACTERS_MAX) return undefined;
  requireNamed({ name: { shapeName, local }, version: undefined }, row);
  const record = renderAtOnce(grant, row) ?? (await renderOne(database, grant, row));
  return record && { grant, repoSeq: row.repo_seq, record: { ...record, origin: shownAuthor(grant, record.origin) } };
}

async function renderOne(reader: Reader, grant: Grant, row: PointRow): Promise<RenderedRecord | undefined> {
  const { records } = await renderRecords(reader, grant, { rows: [row], atRepoSeq: row.repo_seq, follow: undefined });
  return records[0];
}

async function findPoint(reader: Reader, params: [number, string, string]): Promise<PointRow | undefined> {
  const [row] = await reader.query<PointRow>(FIND_POINT, params);
  return row;
}
