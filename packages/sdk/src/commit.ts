// Commits: as calls, and put together step by step.

import type { CommitRecord, CommitResult, Operation } from '@cairn/protocol/commit';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import type { AddOptions, AnyShape, ChangeOptions, InputOf, Wref } from './define-shape.ts';
import type { List } from './list.ts';
import type { Bound } from './repo-handle.ts';
import type { RepositoryAddress } from './surfaces.ts';
import type { CallOptions } from './transport.ts';

/** A commit: its operations, and how they are applied. */
export interface SubmitCommit
  extends Omit<ProcedureInput<'commit.submit'>, RepositoryAddress | 'operations'>,
    CallOptions {
  /** Any object is taken and checked by the server; `satisfies Operation[]` has them checked before. */
  readonly operations: readonly (Operation | object)[];
}
/** What a list of commits can be told. */
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
  /** All operations or none, unless `atomic` is false. */
  submit(orgName: string, repoName: string, options: SubmitCommit): Promise<CommitResult>;
  /** What the same commit would answer; nothing is written. */
  validate(orgName: string, repoName: string, options: SubmitCommit): Promise<CommitResult>;
  /** One commit with its operations. */
  get(
    orgName: string,
    repoName: string,
    repoSeq: number,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'commit.get'>>;
  /** The commits, newest first. */
  log(orgName: string, repoName: string, options?: LogCommits): List<CommitRecord>;
  /** What a commit of yours with this id was answered. */
  receipt(orgName: string, repoName: string, submissionId: string, options?: CallOptions): Promise<CommitResult>;
}

/** A UUID of version 4. Browsers have `crypto.randomUUID` only where the page itself came over TLS. */
function newSubmissionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

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
