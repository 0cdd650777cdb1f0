// The content of an export according to the model alone: every version that a commit made, and the rows at a sequence.
import type { ExportRow } from '@cairn/protocol/export';
import { canonical, sha256 } from '../../../packages/server/src/admin/verify/field.ts';
import { collectionTypeOf } from '../relation/collection.ts';
import { type ModelRecord, type ModelRef, type ModelState, refsIn } from '../relation/state.ts';
import { type LearnedNames, type LoggedCommit, type LoggedVersion, writtenData, writtenRef } from './logged-commit.ts';

export interface CommitMark {
  readonly createdAt: number;
  readonly createdBy: string;
  readonly commitId: string;
  readonly committer: { readonly text: string; readonly identity: string } | undefined;
}

interface KeptVersion extends LoggedVersion {
  readonly seq: number;
  readonly text: unknown;
  readonly refs: readonly [path: string, identity: string][];
}

interface KeptAbout {
  readonly text: string;
  readonly identity: string;
}

export interface RowRange {
  readonly since: number;
  readonly at: number;
}

type DurableIdOf = (repo: string, id: number) => string;

export class ExportHistory {
  readonly #durableIdOf: DurableIdOf;
  readonly #repo: string;
  readonly #states: readonly ModelState[];
  readonly #marks = new Map<number, CommitMark>();
  readonly #versions = new Map<number, KeptVersion[]>();
  readonly #abouts = new Map<number, KeptAbout>();
  readonly #renames: { readonly id: number; readonly seq: number }[] = [];

  constructor(repo: string, states: readonly ModelState[], durableIdOf: DurableIdOf) {
    this.#repo = repo;
    this.#states = states;
    this.#durableIdOf = durableIdOf;
  }

  get repoSeq(): number {
    return this.#states.length - 1;
  }

  commitIdAt(seq: number): string | null {
    return this.#marks.get(seq)?.commitId ?? null;
  }

  keep(commit: LoggedCommit, mark: CommitMark, learned: LearnedNames): void {
    const seq = this.repoSeq;
    this.#marks.set(seq, mark);
    for (const id of commit.renamed) this.#renames.push({ id, seq });
    for (const logged of commit.versions)
      this.#keepVersion({ ...logged, data: commit.boundData(logged) }, seq, learned);
  }

  #keepVersion(logged: LoggedVersion, seq: number, learned: LearnedNames): void {
    const kept = this.#versions.get(logged.id) ?? [];
    const last = kept.at(-1);
    const { about } = logged.written.record(logged.id);
    if (last === undefined && about !== undefined) {
      this.#abouts.set(logged.id, {
        text: writtenRef(about, logged.written, learned),
        identity: this.#identityOf(about),
      });
    }
    const retained = logged.operation === 'retract' ? last : undefined;
    const text = retained?.text ?? writtenData(logged.data, logged.written, learned);
    const refs =
      retained?.refs ?? refsIn(logged.data).map(({ path, ref }): [string, string] => [path, this.#identityOf(ref)]);
    const shapeVersion = retained?.shapeVersion ?? logged.shapeVersion;
    this.#versions.set(logged.id, [...kept, { ...logged, seq, text, refs, shapeVersion }]);
  }

  #identityOf({ repo, id, version }: ModelRef): string {
    return `${this.#durableIdOf(repo, id)}@v${version}`;
  }

  rows(range: RowRange): ExportRow[] {
    const state = this.#states[range.at];
    if (state === undefined) throw new Error(`the model was never at ${range.at}`);
    return state.records.flatMap((record) => this.#rowsOf(record, state, range));
  }

  #rowsOf(record: ModelRecord, state: ModelState, { since, at }: RowRange): ExportRow[] {
    const begun = (this.#versions.get(record.id) ?? []).filter(({ seq }) => seq <= at);
    const held = record.kind === 'shape' ? begun : begun.slice(-1);
    const isRenamed = this.#renames.some(({ id, seq }) => id === record.id && seq > since && seq <= at);
    const wanted = held.filter(({ seq }) => isRenamed || seq > since);
    return wanted.map((version) => this.#row(version, { record, state, born: begun[0]?.seq ?? 0 }));
  }

  #row(version: KeptVersion, { record, state, born }: { record: ModelRecord; state: ModelState; born: number }) {
    const { seq, text, refs, reason, operation, active } = version;
    const about = this.#abouts.get(record.id);
    const made = this.#markAt(seq);
    const row: ExportRow = {
      type: 'record',
      kind: record.kind,
      durableId: this.#durableIdOf(this.#repo, record.id),
      version: version.version,
      name: state.nameOf(record),
      ...this.#shapeFields(version, record, state),
      operation,
      active,
      repoSeq: seq,
      recordRepoSeq: born,
      data: text,
      ...(refs.length > 0 && { refs: refs.map(([path, identity]): [string, string] => [path, identity]) }),
      dataHash: Buffer.from(sha256(canonical(text ?? null))).toString('hex'),
      ...(about !== undefined && { aboutWref: about.text, aboutDurableId: about.identity }),
      ...(reason !== undefined && { reason }),
      createdBy: made.createdBy,
      ...(made.committer && { committerWref: made.committer.text, committerDurableId: made.committer.identity }),
      recordCreatedAt: this.#markAt(born).createdAt,
      versionCreatedAt: made.createdAt,
    };
    return row;
  }

  #shapeFields({ shapeVersion }: KeptVersion, { kind, shapeId }: ModelRecord, state: ModelState) {
    if (shapeId === 0 || shapeVersion === undefined) return {};
    const shapeName = state.record(shapeId).local;
    const collection = kind === 'collection' ? collectionTypeOf(shapeName) : undefined;
    return { shapeName, shapeVersion, ...(collection && { collection }) };
  }

  #markAt(seq: number): CommitMark {
    const mark = this.#marks.get(seq);
    if (mark === undefined) throw new Error(`the model has no commit ${seq}`);
    return mark;
  }
}

/** A retracted record keeps its text and the shape version that validated it. */
export function shownRow(row: ExportRow): unknown {
  const { data, refs, dataHash, ...rest } = row;
  const sorted = (refs ?? []).map(([path, identity]) => `${path} ${identity}`).sort();
  if (row.kind === 'shape' && collectionTypeOf(row.name) !== undefined) return { ...rest, refs: sorted };
  if (row.collection !== 'set' && row.collection !== 'bond') return { ...rest, data, dataHash, refs: sorted };
  const [members = []] = Object.values(data as Record<string, string[]>);
  const identities = (refs ?? []).map(([, identity]) => identity).sort();
  return { ...rest, keys: Object.keys(data as object), members: members.toSorted(), refs: identities };
}
