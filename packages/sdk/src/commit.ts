import type { CommitRecord, CommitResult } from '@cairn/protocol/commit';
import type { Operation } from '@cairn/protocol/operation';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName';

/** A commit: its operations, and how they are applied. */
export interface SubmitCommit extends Omit<ProcedureInput<'commit.submit'>, Address | 'operations'>, CallOptions {
  /** Any object is taken and checked by the server; `satisfies Operation[]` has them checked before. */
  readonly operations: readonly (Operation | object)[];
}
/** What a list of commits can be told. */
export type LogCommits = Omit<ProcedureInput<'commit.log'>, Address> & CallOptions;

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

export function commitSurface(call: Call): CommitSurface {
  return {
    submit: (orgName, repoName, options) => call('commit.submit', { orgName, repoName, ...inputOf(options) }),
    validate: (orgName, repoName, options) => call('commit.validate', { orgName, repoName, ...inputOf(options) }),
    get: (orgName, repoName, repoSeq, options) => call('commit.get', { orgName, repoName, repoSeq, ...options }),
    log: (orgName, repoName, options = {}) => listOf(call, 'commit.log', { orgName, repoName, ...options }),
    receipt: (orgName, repoName, submissionId, options) =>
      call('commit.receipt', { orgName, repoName, submissionId, ...options }),
  };
}

function inputOf({ operations, ...options }: SubmitCommit) {
  return { ...options, operations: [...operations] };
}
