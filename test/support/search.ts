// The search index as stored, and as a single full build would produce it.
import { DatabaseSync } from 'node:sqlite';
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import { searchFile } from '../../packages/server/src/engine/sqlite/side-file.ts';
import { type DocumentRow, tokensOf } from '../../packages/server/src/search/search.sql.ts';
import type { Store } from '../../packages/server/src/store.ts';

export type Documents = Record<number, string[]>;

interface Place {
  readonly location: StoreLocation;
  readonly store: Store;
  readonly repoId: number;
}

export async function indexedDocuments({ location, store, repoId }: Place): Promise<Documents> {
  const documents: Documents = {};
  const mask = 2 ** 36;
  const rows =
    location.engine === 'postgres'
      ? await store.database.query<{ record_id: number; term: string }>(
          'select record_id, unnest(tsvector_to_array(words)) as term from search_document where repo_id = $1',
          [repoId],
        )
      : sqliteTerms(location.file)
          .filter(({ doc }) => Math.floor(doc / mask) === repoId)
          .map(({ term, doc }) => ({ term, record_id: doc % mask }));
  for (const { record_id, term } of rows) {
    documents[record_id] ??= [];
    documents[record_id].push(term);
  }
  for (const tokens of Object.values(documents)) tokens.sort();
  return documents;
}

function sqliteTerms(file: string): { term: string; doc: number }[] {
  const database = new DatabaseSync(searchFile(file), { readOnly: true });
  database.exec('create virtual table temp.word using fts5vocab(main, search_document, instance)');
  const rows = database.prepare('select term, doc from temp.word').all();
  database.close();
  return rows as { term: string; doc: number }[];
}

export async function expectedDocuments({ store, repoId }: Omit<Place, 'location'>): Promise<Documents> {
  const rows = await store.database.query<DocumentRow>(
    `select r.record_id, r.name, s.name as shape_name, v.data, v.refs from record r
     join version v on v.repo_id = r.repo_id and v.record_id = r.record_id and v.version = r.version
     left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id where r.repo_id = $1`,
    [repoId],
  );
  return Object.fromEntries(rows.map((row) => [row.record_id, tokensOf(repoId, row).split(' ').sort()]));
}

export async function followSearch(store: Store): Promise<void> {
  while (await store.followSearch());
}
