// A commit put together step by step.
import type { CommitResult } from '@cairn/protocol/commit';
import type { Operation } from '@cairn/protocol/operation';
import type { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import type { CommitSurface, SubmitCommit } from './commit.ts';
import type { AddOptions, AnyShape, ChangeOptions, InputOf, Wref } from './define-shape.ts';
import type { Bound } from './repo-bound.ts';
import { newSubmissionId } from './submission-id.ts';
import type { CallOptions } from './transport.ts';

/** What a commit can be told, beside its message and its operations. */
export type CommitOptions = Omit<SubmitCommit, 'message' | 'operations' | 'signal'>;

/** What adding a collection can be told. */
export interface CollectionOptions extends Pick<AddOptions, 'skipExisting'> {
  /** Derived from the members where it is left out. */
  readonly name?: string | undefined;
}

/** What retracting a record can be told. */
export interface RetractOptions extends ChangeOptions {
  readonly reason?: string | undefined;
}

/** What a wref's shape takes; any object where the shape is not known. */
export type DataFor<Name extends string> = Name extends Wref<infer Shape> ? InputOf<Shape> : object;

type Submits = Pick<Bound<CommitSurface>, 'submit' | 'validate'>;

/**
 * A commit put together step by step, and sent by `submit`. Its operations are applied in order, all or none. `$1` in the last
 * part of a name asks the server for a unique value there, and `#1` is the wref of that record in what follows. The commit has
 * a submission id, so that it is applied once, however often it is sent.
 *
 * @example
 * const commit = repo
 *   .commit('A cave, and what we think of it')
 *   .addShape(defineShape('Path', { steep: 'boolean' }))
 *   .add('Location/$1', { x: 3 })
 *   .add('Location/hut', { x: 4 })
 *   .add('Belief/safe', { safe: true }, { about: '#1' })
 *   .addCollection('arc', ['#1', 'Location/hut'], { name: 'way' })
 *   .operation({ operation: 'add', name: 'Path/first', data: { steep: true } });
 * console.log(commit.operations.length, commit.submissionId);
 * await commit.validate();
 * const { repoSeq } = await commit.submit();
 * await repo
 *   .commit()
 *   .revise('Location/hut', { x: 5 }, { expectedVersion: 1 })
 *   .reviseMembers('Arc/way', ['Location/hut', 'Path/first'])
 *   .rename('Location/hut', 'Location/house')
 *   .retract('Belief/safe', { reason: 'it fell in' })
 *   .submit();
 */
export class CommitBuilder {
  readonly #commits: Submits;
  readonly #commit: Omit<SubmitCommit, 'operations'>;
  readonly #operations: Operation[] = [];
  /** By which the server knows the commit when it is sent again: `repo.commits.receipt` asks what became of it. */
  readonly submissionId: string;

  constructor(commits: Submits, message: string | undefined, options: CommitOptions) {
    this.#commits = commits;
    this.submissionId = options.submissionId ?? newSubmissionId();
    this.#commit = { ...options, submissionId: this.submissionId, ...(message !== undefined && { message }) };
  }

  /** What has been put into it so far. */
  get operations(): readonly Operation[] {
    return this.#operations;
  }

  /** Adds a record, `Shape/name`; `Sensor.wref('roof')` has its data checked. With `about`, an assertion. */
  add<const Name extends string>(name: Name, data: DataFor<Name>, options: AddOptions = {}): this {
    return this.operation({ operation: 'add', name, data: data as object, ...options });
  }

  /** Adds a shape, for the records that follow. One that is there is refused; `repo.shapes.ensure` brings it up to date. */
  addShape({ name, fields, description }: AnyShape, options: Pick<AddOptions, 'skipExisting'> = {}): this {
    return this.operation({ operation: 'add', kind: 'shape', name, data: { fields, description }, ...options });
  }

  /** Adds a collection: an arc, a bond, a set, a list or a pair of the members, in order. */
  addCollection(
    type: (typeof COLLECTION_TYPES)[number],
    members: readonly string[],
    options: CollectionOptions = {},
  ): this {
    return this.operation({ operation: 'add', type, members, ...options });
  }

  /** Gives a record new data, as a whole. */
  revise<const Name extends string>(name: Name, data: DataFor<Name>, options: ChangeOptions = {}): this {
    return this.operation({ operation: 'revise', name, data: data as object, ...options });
  }

  /** Gives a collection other members. */
  reviseMembers(name: string, members: readonly string[], options: ChangeOptions = {}): this {
    return this.operation({ operation: 'revise', name, members, ...options });
  }

  /** Takes a record out of the head; its history stays. */
  retract(name: string, options: RetractOptions = {}): this {
    return this.operation({ operation: 'retract', name, ...options });
  }

  /** Gives a record another name; what refers to it follows. */
  rename(name: string, newName: string, options: ChangeOptions = {}): this {
    return this.operation({ operation: 'rename', name, newName, ...options });
  }

  /** Puts any operation in. */
  operation(operation: Operation): this {
    this.#operations.push(operation);
    return this;
  }

  /** Sends it. Sent again, it is answered the same, and nothing is written twice. */
  submit(options: CallOptions = {}): Promise<CommitResult> {
    return this.#commits.submit({ ...this.#commit, operations: this.#operations, ...options });
  }

  /** What `submit` would answer; nothing is written. */
  validate(options: CallOptions = {}): Promise<CommitResult> {
    return this.#commits.validate({ ...this.#commit, operations: this.#operations, ...options });
  }
}
