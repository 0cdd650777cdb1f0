// What many rows of an export share, looked up once for a page: the commits that made them, and the names of shapes.
import type { BulkStatement, Reader } from '../engine/database.ts';
import { nameAt } from '../read/target-name.sql.ts';
import type { VersionRow } from './export-row.rule.ts';

export interface CommitFacts {
  readonly created_at: number;
  readonly created_by: string;
  readonly committer: string | null;
  readonly committer_identity: string | null;
}

const COMMIT = 'created_at, created_by, committer, committer_identity';

const FIND_COMMITS: BulkStatement = {
  each: `select ${COMMIT} from "commit" where repo_id = $1 and repo_seq = $2`,
  set: `select k.ord::int as ord, c.* from unnest($2::bigint[]) with ordinality as k (repo_seq, ord)
    cross join lateral (select ${COMMIT} from "commit" where repo_id = $1 and repo_seq = k.repo_seq limit 1) as c`,
};

const FIND_SHAPE_NAMES: BulkStatement = {
  each: `select ${nameAt('s', '$2')} as name from record s where s.repo_id = $1 and s.record_id = $3`,
  set: `select k.ord::int as ord, ${nameAt('s', '$2')} as name
    from unnest($3::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select repo_id, record_id, name from record
      where repo_id = $1 and record_id = k.record_id limit 1) as s`,
};

export class ExportFacts {
  readonly #commits: ReadonlyMap<number, CommitFacts>;
  readonly #shapeNames: ReadonlyMap<number, string>;

  private constructor(commits: ReadonlyMap<number, CommitFacts>, shapeNames: ReadonlyMap<number, string>) {
    this.#commits = commits;
    this.#shapeNames = shapeNames;
  }

  static async load(
    reader: Reader,
    { repoId, atRepoSeq }: { repoId: number; atRepoSeq: number },
    rows: readonly VersionRow[],
  ): Promise<ExportFacts> {
    const seqs = [...new Set(rows.flatMap(({ from_seq, created_seq }) => [from_seq, created_seq]))];
    const shapeIds = [...new Set(rows.map(({ shape_id }) => shape_id))].filter((id) => id !== 0);
    const commits = await reader.bulk<CommitFacts>(FIND_COMMITS, { common: [repoId], rows: seqs.map((seq) => [seq]) });
    const names = await reader.bulk<{ name: string }>(FIND_SHAPE_NAMES, {
      common: [repoId, atRepoSeq],
      rows: shapeIds.map((id) => [id]),
    });
    return new ExportFacts(
      new Map(commits.map((commit) => [Number(seqs[commit.ord]), commit])),
      new Map(names.map(({ ord, name }) => [Number(shapeIds[ord]), name])),
    );
  }

  commit(repoSeq: number): CommitFacts {
    const found = this.#commits.get(repoSeq);
    if (found === undefined) throw new Error(`there is no commit ${repoSeq}`);
    return found;
  }

  shapeName(shapeId: number): string {
    const found = this.#shapeNames.get(shapeId);
    if (found === undefined) throw new Error(`there is no shape ${shapeId}`);
    return found;
  }
}
