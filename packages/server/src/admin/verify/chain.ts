// The chain of commits, recomputed from the rows alone, and the row that says where the repository stands.
import { formatDurableId } from '../../model/durable-id.ts';
import { canonical, sha256 } from './canonical.ts';
import type { Moment } from './moment.ts';
import type { NameHistory } from './name.ts';
import {
  type CommitRow,
  type CommitStretch,
  hex,
  keyOf,
  parsed,
  type RecordRow,
  type SequenceRow,
  type VersionRow,
} from './row.ts';

export function chainDifferences(stretch: CommitStretch, names: NameHistory): string[] {
  const chain = new Chain(stretch, names);
  return stretch.commits.flatMap((commit, index) => chain.differencesOf(commit, index));
}

/** A version that a commit made, or a rename of what had that version then. */
export type Entry = readonly [opIndex: number, recordId: number, version: number, rename?: 'rename'];

/** None where they are damaged: then the id of the commit is not that of its rows. */
export function entriesOf({ entries }: CommitRow): Entry[] {
  const list = parsed(entries);
  return Array.isArray(list) && list.every(Array.isArray) ? (list as unknown as Entry[]) : [];
}

class Chain {
  readonly #rows: CommitStretch;
  readonly #names: NameHistory;

  constructor(rows: CommitStretch, names: NameHistory) {
    this.#rows = rows;
    this.#names = names;
  }

  differencesOf(commit: CommitRow, index: number): string[] {
    const { repo_seq, operation_count, commit_id } = commit;
    if (repo_seq <= this.#rows.importedSeq) return [];
    const differences: string[] = [];
    const previous = index === 0 ? this.#rows.previous : this.#rows.commits[index - 1];
    const last = previous?.repo_seq ?? 0;
    if (repo_seq !== last + 1) differences.push(`it follows commit ${last}`);
    const operations = entriesOf(commit).map(([opIndex]) => opIndex);
    if (new Set(operations).size !== operation_count)
      differences.push(`it does not have ${operation_count} operations`);
    if (operations.some((opIndex, at) => opIndex < (operations[at - 1] ?? 0))) differences.push('it is out of order');
    const id = hex(this.#idOf(commit, previous));
    if (id !== hex(commit_id)) differences.push(`its id is ${hex(commit_id)}, and its rows give ${id}`);
    differences.push(...this.#countDifferences(commit, previous));
    return differences.map((difference) => `commit ${repo_seq}: ${difference}`);
  }

  /** Commits from before there was a count have none. */
  #countDifferences(commit: CommitRow, previous: CommitRow | undefined): string[] {
    const before = previous === undefined ? 0 : previous.export_rows;
    if (commit.export_rows === null || before === null) return [];
    const added = entriesOf(commit).filter(([, recordId, version, rename]) => {
      return rename === undefined && (version === 1 || this.#rows.records.get(recordId)?.kind === 'shape');
    }).length;
    if (before + added === commit.export_rows) return [];
    return [`it counts ${commit.export_rows} rows of an export, and added ${added} to ${before}`];
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
    const version = this.#rows.made.get(keyOf(recordId, number));
    if (record === undefined || version === undefined) return [];
    const start = this.#start(record, version, { seq, op });
    if (rename !== undefined) return [...start('rename'), null, record.about, null, null];
    // A version that stands in another commit than this one would go unnoticed otherwise.
    if (version.from_seq !== seq || version.op_index !== op) return [];
    const { operation, shape_version, data_hash, reason, refs } = version;
    const end = [shape_version, record.about, hex(data_hash), reason];
    return [...start(operation), ...end, ...(refs === null || operation === 'retract' ? [] : [refs])];
  }

  #start(record: RecordRow, { version, active }: Pick<VersionRow, 'version' | 'active'>, moment: Moment) {
    const { record_id, kind, shape_id } = record;
    const identity = (recordId: number) => formatDurableId({ repoId: this.#rows.repoId, recordId });
    const shape = shape_id === 0 ? null : identity(shape_id);
    const name = this.#names.fullNameAt(record_id, moment);
    return (operation: string) => [identity(record_id), kind, operation, version, name, active === 1, shape];
  }
}

/** What a repository has, as it was counted, or read last. */
export interface Standing {
  readonly lastCommit: CommitRow | undefined;
  readonly lastRecordId: number;
  readonly lastRenameSeq: number;
}

export function sequenceDifferences(sequence: SequenceRow, standing: Standing): string[] {
  const { lastCommit, lastRecordId, lastRenameSeq } = standing;
  const { repo_seq, last_record_id, renamed_seq, commit_id, export_rows } = sequence;
  const says = [repo_seq, last_record_id, renamed_seq, hex(commit_id), export_rows];
  // An import may have renamed anything.
  const renamedSeq = Math.max(lastRenameSeq, sequence.imported_seq);
  const lastId = hex(lastCommit?.commit_id ?? null);
  const is = [lastCommit?.repo_seq ?? 0, lastRecordId, renamedSeq, lastId, lastCommit?.export_rows ?? 0];
  return String(says) === String(is) ? [] : [`the repository says that it stands at ${says}, and it does at ${is}`];
}
