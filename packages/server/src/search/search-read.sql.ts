// What a search finds: ids of records, newest first. Who reads them leaves out what the caller may not see, and what is
// retracted.
import type { Database } from '../engine/database.ts';
import { matchOf, RECORD_ID_MAX, ROWID_RECORD, rowid, type SearchTerms } from './search-document.sql.ts';

export type { SearchLevel } from './search-document.sql.ts';
export type { SearchWord } from './search-text.rule.ts';

const NEWEST_MAX = 2_000;

/**
 * FTS5 reads the documents that have the words from the newest on, and no further than the limit. PostgreSQL can only
 * collect all of them by its index, or read all documents from the newest on: of a common word the newest documents hold
 * enough, of others there are not many.
 */
const FIND = {
  sqlite: `select ${ROWID_RECORD} as record_id from search_document
    where search_document match $2 and rowid < ${rowid('$1', '$3')} order by rowid desc limit $4`,
  postgres: `with newest as materialized (
      select record_id, words from search_document where repo_id = $1 and record_id < $3
        and record_id >= least($3, (select max(record_id) from search_document where repo_id = $1)) - ${NEWEST_MAX}
    ), hit as materialized (
      select record_id from newest where words @@ $2::tsquery order by record_id desc limit $4
    ), found as materialized (
      select record_id from search_document
      where repo_id = $1 and words @@ $2::tsquery and (select count(*) from hit) < $4
    )
    select record_id from hit union select record_id from found where record_id < $3
    order by record_id desc limit $4`,
};

export interface DocumentSearch extends SearchTerms {
  /** Only records below this one. */
  readonly before?: number | undefined;
  readonly limit: number;
}

type SearchableDatabase = Pick<Database, 'engine' | 'search'>;

/**
 * Record ids in descending order. Level `name`: all words are in the name; `text`: all are in the name or the data, but
 * not all in the name; `any`: both together.
 */
export async function findDocuments(
  { engine, search }: SearchableDatabase,
  { before = RECORD_ID_MAX, limit, ...terms }: DocumentSearch,
): Promise<number[]> {
  const below = Math.min(before, RECORD_ID_MAX);
  const rows = await search.query<{ record_id: number }>(FIND[engine], [
    terms.repoId,
    matchOf(engine, terms),
    below,
    limit,
  ]);
  return rows.map(({ record_id }) => record_id);
}

/** The sequence through which every commit is in the index; 0 before any is. */
export async function findSearchedThrough({ search }: SearchableDatabase, repoId: number): Promise<number> {
  const [state] = await search.query<{ indexed_seq: number }>(
    'select indexed_seq from search_state where repo_id = $1',
    [repoId],
  );
  return state?.indexed_seq ?? 0;
}
