// The known facts of a world under construction: its repositories, every record with all of its names, and every
// commit.
import type { OperationResult } from '@cairn/protocol/commit';

export interface WorldRepository {
  readonly orgName: string;
  readonly repoName: string;
  readonly visibility: 'public' | 'private';
  /** True if the owner of the tokens is a member of its organization, and so has every right in it. */
  isOwn: boolean;
  readonly records: WorldRecord[];
  readonly commits: WorldCommit[];
}

export class WorldRecord {
  readonly repo: WorldRepository;
  readonly kind: OperationResult['kind'];
  readonly shape: WorldRecord | undefined;
  readonly names: { seq: number; local: string }[] = [];
  /** Values that occur in its versions and nowhere else. */
  readonly marks = new Set<string>();
  durableId = '';
  versions = 1;
  active = true;

  constructor({ repo, kind, shape }: Pick<WorldRecord, 'repo' | 'kind' | 'shape'>) {
    this.repo = repo;
    this.kind = kind;
    this.shape = shape;
  }

  get local(): string {
    return this.names.at(-1)?.local ?? '';
  }

  get name(): string {
    return this.shape === undefined ? this.local : `${this.shape.local}/${this.local}`;
  }

  get createdSeq(): number {
    return this.names[0]?.seq ?? 0;
  }

  localAt(seq: number): string {
    return this.names.findLast((one) => one.seq <= seq)?.local ?? '';
  }

  nameAt(seq: number): string {
    return this.shape === undefined ? this.localAt(seq) : `${this.shape.localAt(seq)}/${this.localAt(seq)}`;
  }

  allNames(): string[] {
    const seqs = [...this.names, ...(this.shape?.names ?? [])].map(({ seq }) => Math.max(seq, this.createdSeq));
    return [...new Set([...seqs.map((seq) => this.nameAt(seq)), ...this.passingNames])];
  }

  /** Full names with their first sequences, up to sequence `last`. */
  fullNamesTo(last: number): { name: string; seq: number }[] {
    const renamed = [...this.names, ...(this.shape?.names ?? [])].map(({ seq }) => seq);
    const seqs = [...new Set(renamed)].filter((seq) => seq >= this.createdSeq && seq <= last).sort((a, b) => a - b);
    const names = seqs.map((seq) => ({ name: this.nameAt(seq), seq }));
    return names.filter(({ name }, at) => name !== names[at - 1]?.name);
  }

  /** Names that it had only within a commit. */
  readonly passingNames = new Set<string>();
}

export interface WorldOperation {
  readonly opIndex: number;
  readonly record: WorldRecord;
}

export interface WorldCommit {
  readonly seq: number;
  readonly mark: string;
  readonly committer: WorldRecord | undefined;
  readonly operations: readonly WorldOperation[];
}

export const addressOf = ({ orgName, repoName }: WorldRepository) => ({ orgName, repoName });
export const canonical = ({ orgName, repoName }: WorldRepository, name: string) => `wh:${orgName}/${repoName}/${name}`;
export const headOf = ({ commits }: WorldRepository) => commits.length;
