// The chain of commits, recomputed from the rows alone, and the row that says where the repository stands.
import { formatDurableId } from '../../../packages/server/src/model/durable-id.ts';
import { canonical, sha256 } from './canonical.ts';
import type { Moment } from './moment.ts';
import type { NameHistory } from './name.ts';
import { type CommitRow, hex, type RecordRow, type RepositoryRows, type VersionRow } from './row.ts';

export function chainDifferences(rows: RepositoryRows, names: NameHistory): string[] {
  const chain = new Chain(rows, names);
  return [...rows.commits.flatMap((commit, index) => chain.differencesOf(commit, index)), ...unlisted(rows)];
}

type Entry = readonly [opIndex: number, recordId: number, version: number, rename?: 'rename'];

const entriesOf = ({ entries }: CommitRow) => JSON.parse(entries) as Entry[];

class Chain {
  readonly #rows: RepositoryRows;
  readonly #names: NameHistory;

  constructor(rows: RepositoryRows, names: NameHistory) {
    this.#rows = rows;
    this.#names = names;
  }

  differencesOf(commit: CommitRow, index: number): string[] {
    const { repo_seq, operation_count, commit_id } = commit;
    const differences: string[] = [];
    if (repo_seq !== index + 1) differences.push(`it is commit number ${index + 1}`);
    const operations = entriesOf(commit).map(([opIndex]) => opIndex);
    if (new Set(operations).size !== operation_count)
      differences.push(`it does not have ${operation_count} operations`);
    if (operations.some((opIndex, at) => opIndex < (operations[at - 1] ?? 0))) differences.push('it is out of order');
    const id = hex(this.#idOf(commit, this.#rows.commits[index - 1]));
    if (id !== hex(commit_id)) differences.push(`its id is ${hex(commit_id)}, and its rows give ${id}`);
    return differences.map((difference) => `commit ${repo_seq}: ${difference}`);
  }

  #idOf(commit: CommitRow, previous: CommitRow | undefined): Uint8Array {
    const { repo_seq, created_by, committer_identity, created_at, message } = commit;
    const component = created_by.startsWith('component:') ? created_by : null;
    const before = previous === undefined ? null : hex(previous.commit_id);
    const entries = entriesOf(commit).map((entry) => this.#entry(repo_seq, entry));
    const parts = [before, repo_seq, created_by, committer_identity, component, created_at, message, entries];
    return sha256(canonical(parts));
  }

  #entry(seq: number, [op, recordId, number, rename]: Entry): unknown[] {
    const record = this.#rows.records.get(recordId);
    const version = this.#rows.versions.get(recordId)?.find((one) => one.version === number);
    if (record === undefined || version === undefined) return [];
    const start = this.#start(record, version, { seq, op });
    if (rename !== undefined) return [...start('rename'), null, record.about, null, null];
    // A version that stands in another commit than this one would go unnoticed otherwise.
    if (version.from_seq !== seq || version.op_index !== op) return [];
    const { operation, shape_version, data_hash, reason, refs } = version;
    const end = [shape_version, record.about, hex(data_hash), reason];
    return [...start(operation), ...end, ...(refs === null || operation === 'retract' ? [] : [refs])];
  }

  #start(record: RecordRow, { version, active }: VersionRow, moment: Moment) {
    const { record_id, kind, shape_id } = record;
    const identity = (recordId: number) => formatDurableId({ repoId: this.#rows.repoId, recordId });
    const shape = shape_id === 0 ? null : identity(shape_id);
    const name = this.#names.fullNameAt(record_id, moment);
    return (operation: string) => [identity(record_id), kind, operation, version, name, active === 1, shape];
  }
}

/** Versions and renames that no commit says it made. */
function unlisted({ commits, versions, renames }: RepositoryRows): string[] {
  const listed = new Set(
    commits.flatMap((commit) =>
      entriesOf(commit).map(([op, recordId, version, rename]) =>
        rename === undefined ? `version ${recordId}@v${version}` : `rename ${recordId} ${commit.repo_seq} ${op}`,
      ),
    ),
  );
  const made = [
    ...[...versions.values()].flat().map(({ record_id, version }) => `version ${record_id}@v${version}`),
    ...[...renames.values()]
      .flat()
      .map(({ record_id, repo_seq, op_index }) => `rename ${record_id} ${repo_seq} ${op_index}`),
  ];
  const missing = made.filter((one) => !listed.has(one)).map((one) => `no commit made the ${one}`);
  return made.length < listed.size ? [...missing, 'commits say that they made more than there is'] : missing;
}

export function sequenceDifferences({ sequence, commits, records, renames }: RepositoryRows): string[] {
  const last = commits.at(-1);
  const says = [sequence.repo_seq, sequence.last_record_id, sequence.renamed_seq, hex(sequence.commit_id)];
  const renamed = [...renames.values()].flat().map(({ repo_seq }) => repo_seq);
  const is = [
    last?.repo_seq ?? 0,
    Math.max(0, ...records.keys()),
    Math.max(0, ...renamed),
    hex(last?.commit_id ?? null),
  ];
  return String(says) === String(is) ? [] : [`the repository says that it stands at ${says}, and it does at ${is}`];
}
