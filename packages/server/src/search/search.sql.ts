// Search documents are texts of tokens. A token begins with the repository id, so a search never touches postings of
// other repositories. The next letter tells the place: `n` in the name, `z` anywhere.
import type { BulkStatement, Database } from '../engine/database.ts';
import { fullName } from '../read/target-name.sql.ts';
import { type SearchWord, toSearchDocument } from './search-text.rule.ts';

export interface DocumentRow {
  readonly record_id: number;
  readonly name: string;
  readonly shape_name: string | null;
  readonly data: string;
  readonly refs: string | null;
}

export function tokensOf(repoId: number, row: DocumentRow): string {
  const references = row.refs === null ? [] : (JSON.parse(row.refs) as [path: string, identity: string][]);
  const { name, text } = toSearchDocument({
    name: fullName(row),
    data: JSON.parse(row.data),
    referencePaths: new Set(references.map(([path]) => path)),
  });
  let tokens = '';
  for (const word of name) tokens += `${repoId}n${word} ${repoId}z${word} `;
  for (const word of text) if (!name.has(word)) tokens += `${repoId}z${word} `;
  return tokens.trimEnd();
}

export type SearchLevel = 'name' | 'text' | 'any';

interface SearchTerms {
  readonly repoId: number;
  readonly words: readonly SearchWord[];
  readonly level: SearchLevel;
}

/** For FTS5 and for `tsquery`. Tokens are letters and digits, so nothing needs escaping. */
const SYNTAX = {
  sqlite: { token: (token, prefix) => `"${token}"${prefix ? ' *' : ''}`, and: ' AND ', not: ' NOT ' },
  postgres: { token: (token, prefix) => `'${token}'${prefix ? ':*' : ''}`, and: ' & ', not: ' & !' },
} satisfies Record<string, { token: (token: string, prefix: boolean) => string; and: string; not: string }>;

function matchOf(engine: keyof typeof SYNTAX, { repoId, words, level }: SearchTerms): string {
  const { token, and, not } = SYNTAX[engine];
  const all = (place: string) =>
    `(${words.map(({ word, prefix }) => token(`${repoId}${place}${word}`, prefix)).join(and)})`;
  if (level === 'name') return all('n');
  return level === 'any' ? all('z') : `${all('z')}${not}${all('n')}`;
}

// FTS5 rows have one number: repository in the high bits, record in the low ones. SQLite computes it, because
// JavaScript may lose precision. Parameters are bound as floats, hence the casts.
const RECORD_IDS = 2 ** 36;
const rowid = (repo: string, record: string) =>
  `(cast(${repo} as integer) * ${RECORD_IDS} + cast(${record} as integer))`;
const ROWID_RECORD = `rowid & ${RECORD_IDS - 1}`;
const RECORD_ID_MAX = RECORD_IDS - 1;

export const REPLACE_DOCUMENTS: BulkStatement = {
  each: `insert or replace into search_document (rowid, words) values (${rowid('$1', '$2')}, $3)`,
  set: `insert into search_document (repo_id, record_id, words)
    select $1::bigint, x.record_id, array_to_tsvector(string_to_array(x.words, ' '))
    from unnest($2::bigint[], $3::text[]) as x (record_id, words)
    on conflict (repo_id, record_id) do update set words = excluded.words`,
};

export const REMOVE_DOCUMENTS: BulkStatement = {
  each: `delete from search_document where rowid = ${rowid('$1', '$2')}`,
  set: `delete from search_document where repo_id = $1 and record_id = any($2::bigint[])`,
};

const documentSet = (repo: string) => `select k.ord::int as ord, d.record_id
  from unnest($2::bigint[]) with ordinality as k (repo_id, ord)
  cross join lateral (select record_id from search_document where repo_id = ${repo} order by record_id limit $1) as d`;

export const FIND_DOCUMENTS: BulkStatement = {
  each: `select ${ROWID_RECORD} as record_id from search_document
    where rowid >= ${rowid('$2', '0')} and rowid <= ${rowid('$2', String(RECORD_ID_MAX))} order by rowid limit $1`,
  set: documentSet('k.repo_id'),
  shard: { column: 0, set: documentSet('$3') },
};

const NEWEST_MAX = 2_000;

// FTS5 stops at the limit. PostgreSQL must collect all matches or scan from the newest on: for common words the newest
// documents hold enough matches.
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

interface DocumentSearch extends SearchTerms {
  readonly before?: number | undefined;
  readonly limit: number;
}

type SearchableDatabase = Pick<Database, 'engine' | 'search'>;

// Level `text` excludes records that have all words in the name. Callers filter out hidden and retracted records.
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

export async function findSearchedThrough({ search }: SearchableDatabase, repoId: number): Promise<number> {
  const [state] = await search.query<{ indexed_seq: number }>(
    'select indexed_seq from search_state where repo_id = $1',
    [repoId],
  );
  return state?.indexed_seq ?? 0;
}
