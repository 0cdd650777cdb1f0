// Filters an answer for a token: the answer to the owner's session, without everything hidden.
import type { CommitRecord, OperationResult } from '@cairn/protocol/commit';
import type { RecordItem } from '@cairn/protocol/record';
import { headOf, type WorldRecord, type WorldRepository } from './record.ts';
import { calledAs, type OracleToken } from './visibility.ts';

export class AnswerFilter {
  readonly #token: OracleToken;
  readonly #byId: ReadonlyMap<string, WorldRecord>;

  constructor(token: OracleToken, byId: ReadonlyMap<string, WorldRecord>) {
    this.#token = token;
    this.#byId = byId;
  }

  recordOf(durableId: string): WorldRecord {
    const record = this.#byId.get(durableId.slice(0, 26));
    if (record === undefined) throw new Error(`nobody knows ${durableId}`);
    return record;
  }

  shows(item: RecordItem, seq: number): boolean {
    const record = this.recordOf(item.durableId);
    if (item.name !== record.nameAt(seq)) throw new Error(`${item.name} should be ${record.nameAt(seq)}`);
    return this.#token.reads(record.repo) && this.#token.showsAt(record, seq);
  }

  item<Item extends RecordItem>(item: Item, seq: number): Item {
    const { repo } = this.recordOf(item.durableId);
    const left = { ...item };
    const isHidden = (durableId: string, text: string) =>
      !this.showsPointer({ from: repo, target: this.recordOf(durableId), text, seq });
    const hidden = (item.refs ?? []).filter(([path, id]) => isHidden(id, String(at(item.data, path))));
    if (hidden.length > 0) {
      left.refs = (item.refs ?? []).filter((pair) => !hidden.includes(pair));
      left.data = structuredClone(item.data);
      for (const [path] of hidden) setNull(left.data, path);
      delete left.dataHash;
    }
    if (item.aboutDurableId !== undefined && isHidden(item.aboutDurableId, String(item.aboutWref))) {
      left.aboutWref = null;
      delete left.aboutDurableId;
    }
    const committer = repo.commits[item.repoSeq - 1]?.committer;
    if (committer !== undefined && isHidden(committer.durableId, String(item.committerWref))) left.committerWref = null;
    return left;
  }

  showsPointer({ from, target, text, seq }: Pointer): boolean {
    const token = this.#token;
    if (target.repo === from) return token.showsAt(target, seq);
    // A reference to another repository keeps the name of the moment at which it was written.
    if (token.reads(target.repo)) return token.shows(target, calledAs(target, nameIn(text)));
    return !token.isNarrowedIn(from);
  }

  commit(repo: WorldRepository, commit: ReadCommit): ReadCommit | undefined {
    const token = this.#token;
    const known = repo.commits[commit.repoSeq - 1];
    if (known?.operations.length !== commit.operations.length) throw new Error(`commit ${commit.repoSeq} is another`);
    const all = commit.operations.map((operation, index) =>
      this.#operation(known.operations[index]?.record, operation),
    );
    const shown = all.filter((operation) => operation !== undefined);
    if (shown.length === 0) return undefined;
    const isWhole = shown.length === all.length && shown.every(({ lost }) => !lost);
    const { committer } = known;
    const isCommitterHidden =
      committer !== undefined &&
      !this.showsPointer({ from: repo, target: committer, text: String(commit.committerWref), seq: headOf(repo) });
    return {
      ...commit,
      // The ID covers the targets of references, and operation numbers would reveal how much is hidden.
      ...(token.isNarrowedIn(repo) && { commitId: null }),
      ...(!isWhole && token.isNarrowedIn(repo) && { message: null }),
      ...(isCommitterHidden && { committerWref: null }),
      operationCount: shown.length,
      operations: shown.map(({ left }, opIndex) => (token.isNarrowedIn(repo) ? { ...left, opIndex } : left)),
    };
  }

  /** `lost` is true if an earlier name of the record is hidden. */
  #operation(record: WorldRecord | undefined, operation: OperationResult) {
    if (record === undefined) throw new Error('an operation of nothing');
    if (!this.#token.shows(record, calledAs(record, operation.name))) return undefined;
    const { submittedName, dataHash, ...rest } = operation;
    const lost = submittedName !== undefined && !this.#token.shows(record, calledAs(record, submittedName));
    const left: OperationResult = {
      ...rest,
      ...(submittedName !== undefined && !lost && { submittedName }),
      // The hash covers the targets of references.
      ...(dataHash !== undefined && !this.#token.isNarrowedAnywhere && { dataHash }),
    };
    return { left, lost };
  }
}

export type ReadCommit = CommitRecord & { operations: OperationResult[] };

interface Pointer {
  readonly from: WorldRepository;
  readonly target: WorldRecord;
  readonly text: string;
  readonly seq: number;
}

const nameIn = (text: string) => text.replace(/^wh:[^/]+\/[^/]+\//, '').replace(/@v\d+$/, '');

const steps = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function at(data: unknown, pointer: string): unknown {
  return steps(pointer).reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], data);
}

function setNull(data: unknown, pointer: string): void {
  const path = steps(pointer);
  const last = path.pop() ?? '';
  const parent = path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], data);
  (parent as Record<string, unknown>)[last] = null;
}
