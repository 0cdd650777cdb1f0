// Reads one record by its present name: the remembered caller and repository, and one statement for all the rest.

import { followOf, grantOnce, rememberRepository } from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader } from '../engine/database.ts';
import { foundAt, type RepositoryAddress } from '../repository/repository.sql.ts';
import { SEQUENCE_COLUMNS, type SequenceRow } from '../repository/repository-sequence.sql.ts';
import { FIND_NAMED, requireNamed } from './record.sql.ts';
import { ITEM_COLUMNS, type ItemRow, type RenderedRecord, renderRecords, VERSION_AT } from './record-item.sql.ts';

/** Names without anything that could be spelled in two ways. All others are read in steps. */
const PLAIN_NAME = /^([A-Za-z][\w-]{0,99})\/([\w-]{1,200})$/;

/** Longer ones are measured before they are read. */
const DATA_CHARACTERS_MAX = 65_536;

// The sequence comes from the row of the repository instead of a parameter, so that one snapshot has both.
const atPresent = (sql: string) =>
  sql.replaceAll('$2', 'repo_sequence.repo_seq').replaceAll('$3', '$2').replaceAll('$4', '$3');

const FIND_POINT = `select repo_sequence.repo_id, ${SEQUENCE_COLUMNS}, ${atPresent(ITEM_COLUMNS)} from repo_sequence
  left join record r on r.repo_id = $1 and r.record_id = (${atPresent(FIND_NAMED.each)})
  left join version v on v.repo_id = $1 and v.record_id = r.record_id and ${atPresent(VERSION_AT)}
  left join record s on s.repo_id = $1 and s.record_id = r.shape_id
  left join "commit" c on c.repo_id = $1 and c.repo_seq = v.from_seq
  left join "commit" born on born.repo_id = $1 and born.repo_seq = r.created_seq
  where repo_sequence.repo_id = $1`;

type PointRow = SequenceRow & (ItemRow | { readonly record_id: null });

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
  if (row.record_id === null || row.active !== 1 || grant.narrowing !== undefined) return undefined;
  if (row.data.length > DATA_CHARACTERS_MAX) return undefined;
  requireNamed({ name: { shapeName, local }, version: undefined }, row);
  const request = { rows: [row], atRepoSeq: row.repo_seq, follow: undefined };
  const [record] = (await renderRecords(database, grant, request)).records;
  return record && { grant, repoSeq: row.repo_seq, record: { ...record, origin: shownAuthor(grant, record.origin) } };
}

async function findPoint(reader: Reader, params: [number, string, string]): Promise<PointRow | undefined> {
  const [row] = await reader.query<PointRow>(FIND_POINT, params);
  return row;
}
