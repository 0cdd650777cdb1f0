import type { CommitRecord, CommitResult, Operation } from '@cairn/protocol/commit';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import type { AddOptions, AnyShape, ChangeOptions, InputOf, Wref } from './define-shape.ts';
import type { List } from './list.ts';
import type { Bound } from './repo-handle.ts';
import { newUuid } from './retry.ts';
import type { RepositoryAddress } from './surfaces.ts';
import type { CallOptions } from './transport.ts';

/** A commit: its operations, and the options for applying them. */
export interface SubmitCommit
  extends Omit<ProcedureInput<'commit.submit'>, RepositoryAddress | 'operations'>,
    CallOptions {
  /** The server checks any object given here. Use `satisfies Operation[]` to check the types at compile time. */
  readonly operations: readonly (Operation | object)[];
}
/** Options of `commit.log`. */
export type LogCommits = Omit<ProcedureInput<'commit.log'>, RepositoryAddress> & CallOptions;

/**
 * Commits: atomic groups of operations.
 *
 * @example
 * const commit = {
 *   message: 'The first cave',
 *   submissionId: crypto.randomUUID(),
 *   operations: [
 *     { operation: 'add', name: 'Location/cave', data: { x: 3 } },
 *     { operation: 'add', name: 'Belief/cave-safe', about: 'Location/cave', data: { safe: true } },
 *   ],
 * };
 * await client.commit.validate('acme', 'world', commit);
 * const { repoSeq } = await client.commit.submit('acme', 'world', commit);
 * const { operations } = await client.commit.get('acme', 'world', repoSeq);
 * const same = await client.commit.receipt('acme', 'world', commit.submissionId);
 * for await (const { message } of client.commit.log('acme', 'world')) console.log(message);
 */
export interface CommitSurface {
  /** Applies all operations or none, unless `atomic` is false. */
  submit(orgName: string, repoName: string, options: SubmitCommit): Promise<CommitResult>;
  /** Returns the result that `submit` would return, and writes nothing. */
  validate(orgName: string, repoName: string, options: SubmitCommit): Promise<CommitResult>;
  /** One commit with its operations. */
  get(
    orgName: string,
    repoName: string,
    repoSeq: number,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'commit.get'>>;
  /** Commits, newest first. */
  log(orgName: string, repoName: string, options?: LogCommits): List<CommitRecord>;
  /** Result of your commit with this submission id. */
  receipt(orgName: string, repoName: string, submissionId: string, options?: CallOptions): Promise<CommitResult>;
}

/** Options of a commit, besides its message and its operations. */
export type CommitOptions = Omit<SubmitCommit, 'message' | 'operations' | 'signal'>;

/** Options for adding a collection. */
export interface CollectionOptions extends Pick<AddOptions, 'skipExisting'> {
  /** Name of the collection. By default, it is derived from the members. */
  readonly name?: string | undefined;
}

/** Options for retracting a record. */
export interface RetractOptions extends ChangeOptions {
  readonly reason?: string | undefined;
}

/** Data type of a wref's shape, or any object if the shape is unknown. */
export type DataFor<Name extends string> = Name extends Wref<infer Shape> ? InputOf<Shape> : object;

type Submits = Pick<Bound<CommitSurface>, 'submit' | 'validate'>;

/**
 * Builds a commit step by step; `submit` sends it. The operations are applied in order, all or none. A `$1` in the last
 * part of a name is a placeholder: the server replaces it with a unique value. `#1` then stands for the wref of that
 * record in later operations. The submission id makes the commit idempotent, so it is applied once, however often it is
 * sent.
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
  /** Identifies the commit when it is sent again. `repo.commits.receipt` returns its result. */
  readonly submissionId: string;

  constructor(commits: Submits, message: string | undefined, options: CommitOptions) {
    this.#commits = commits;
    this.submissionId = options.submissionId ?? newUuid();
    this.#commit = { ...options, submissionId: this.submissionId, ...(message !== undefined && { message }) };
  }

  /** Operations added so far. */
  get operations(): readonly Operation[] {
    return this.#operations;
  }

  /**
   * Adds a record, `Shape/name`. A wref such as `Sensor.wref('roof')` type-checks its data. With `about`, the record is
   * an assertion.
   */
  add<const Name extends string>(name: Name, data: DataFor<Name>, options: AddOptions = {}): this {
    return this.operation({ operation: 'add', name, data: data as object, ...options });
  }

  /** Adds a shape for the records that follow. An existing shape is refused; `repo.shapes.ensure` updates one. */
  addShape({ name, fields, description }: AnyShape, options: Pick<AddOptions, 'skipExisting'> = {}): this {
    return this.operation({ operation: 'add', kind: 'shape', name, data: { fields, description }, ...options });
  }

  /** Adds a collection of the members, in order: an arc, a bond, a set, a list or a pair. */
  addCollection(
    type: (typeof COLLECTION_TYPES)[number],
    members: readonly string[],
    options: CollectionOptions = {},
  ): this {
    return this.operation({ operation: 'add', type, members, ...options });
  }

  /** Replaces the data of a record. */
  revise<const Name extends string>(name: Name, data: DataFor<Name>, options: ChangeOptions = {}): this {
    return this.operation({ operation: 'revise', name, data: data as object, ...options });
  }

  /** Replaces the members of a collection. */
  reviseMembers(name: string, members: readonly string[], options: ChangeOptions = {}): this {
    return this.operation({ operation: 'revise', name, members, ...options });
  }

  /** Removes a record from the head. Its history remains. */
  retract(name: string, options: RetractOptions = {}): this {
    return this.operation({ operation: 'retract', name, ...options });
  }

  /** Renames a record. References to it follow. */
  rename(name: string, newName: string, options: ChangeOptions = {}): this {
    return this.operation({ operation: 'rename', name, newName, ...options });
  }

  /** Adds any operation. */
  operation(operation: Operation): this {
    this.#operations.push(operation);
    return this;
  }

  /** Sends the commit. Sending it again returns the same result and writes nothing twice. */
  submit(options: CallOptions = {}): Promise<CommitResult> {
    return this.#commits.submit({ ...this.#commit, operations: this.#operations, ...options });
  }

  /** Returns the result that `submit` would return, and writes nothing. */
  validate(options: CallOptions = {}): Promise<CommitResult> {
    return this.#commits.validate({ ...this.#commit, operations: this.#operations, ...options });
  }
}
