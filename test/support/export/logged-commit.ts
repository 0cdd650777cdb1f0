// A model commit that notes each version and rename, with the names of that moment. An export contains details that a
// later state of the model no longer has.
import { ModelCommit } from '../relation/commit.ts';
import type { Expected, Outcome, SentOperation } from '../relation/operation.ts';
import {
  headOf,
  type ModelRecord,
  type ModelRef,
  type ModelState,
  type ModelVersion,
  refsIn,
  withRefs,
} from '../relation/state.ts';

export interface LoggedVersion {
  readonly id: number;
  readonly version: number;
  readonly operation: 'add' | 'revise' | 'retract';
  readonly reason: string | undefined;
  readonly active: boolean;
  readonly shapeVersion: number | undefined;
  /** JSON with references by identity. That of a built-in shape is the server's own and unknown here. */
  readonly data: unknown;
  readonly written: ModelState;
}

export class LoggedCommit extends ModelCommit {
  readonly versions: LoggedVersion[] = [];
  readonly renamed = new Set<number>();
  #reason: string | undefined;

  override apply(operation: SentOperation & { readonly reason?: string }, opIndex: number): Expected {
    const before = this.state;
    this.#reason = operation.reason;
    const expected = super.apply(operation, opIndex);
    for (const { id, local } of before.records) if (this.state.record(id).local !== local) this.renamed.add(id);
    return expected;
  }

  override make(...args: Parameters<ModelCommit['make']>): Outcome {
    const outcome = super.make(...args);
    this.#log(this.state.record(outcome.id), 'add');
    return outcome;
  }

  override append(record: ModelRecord, version: ModelVersion): Outcome {
    const outcome = super.append(record, version);
    this.#log(this.state.record(record.id), version.active ? 'revise' : 'retract');
    return outcome;
  }

  #log(record: ModelRecord, operation: LoggedVersion['operation']): void {
    const { id, shapeId, versions } = record;
    const { active, data } = headOf(record);
    const shapeVersion = shapeId === 0 ? undefined : this.state.record(shapeId).versions.length;
    const reason = operation === 'retract' ? this.#reason : undefined;
    const written = this.state;
    this.versions.push({ id, version: versions.length, operation, reason, active, shapeVersion, data, written });
  }

  /** The last version of a shape in a commit also refers to shapes that came after it. */
  boundData({ id, version, data }: LoggedVersion): unknown {
    const record = this.state.record(id);
    return record.kind === 'shape' && version === record.versions.length ? headOf(record).data : data;
  }
}

/** Names that the server minted or derived, by their placeholder in the model. */
export type LearnedNames = ReadonlyMap<string, string>;

export function writtenRef(ref: ModelRef, state: ModelState, learned: LearnedNames): string {
  if (ref.text !== undefined) return ref.text;
  if (ref.asked !== undefined) return ref.asked;
  const { shapeId, local } = state.record(ref.id);
  const shown = (name: string) => learned.get(name) ?? name;
  const name = shapeId === 0 ? shown(local) : `${shown(state.record(shapeId).local)}/${shown(local)}`;
  return `${name}@v${ref.version}`;
}

export function writtenData(data: unknown, state: ModelState, learned: LearnedNames): unknown {
  return withRefs(data, (ref) => writtenRef(ref, state, learned));
}

export { refsIn };
