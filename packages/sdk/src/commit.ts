import type { CommitRecord, CommitResult } from '@cairn/protocol/commit';
import type { Operation } from '@cairn/protocol/operation';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName';

export interface SubmitCommit extends Omit<ProcedureInput<'commit.submit'>, Address | 'operations'> {
  /** Any object is taken and checked by the server; `satisfies Operation[]` has them checked before. */
  readonly operations: readonly (Operation | object)[];
}
export type LogCommits = Omit<ProcedureInput<'commit.log'>, Address>;

/**
 * Commits: atomic groups of operations.
 *
 * @example
 * await client.commit.submit('acme', 'world', {
 *   message: 'The first cave',
 *   operations: [
 *     { operation: 'add', name: 'Location/cave', data: { x: 3 } },
 *     { operation: 'add', name: 'Belief/cave-safe', about: 'Location/cave', data: { safe: true } },
 *   ],
 * });
 */
export interface CommitSurface {
  /** All operations or none, unless `atomic` is false. */
  submit(orgName: string, repoName: string, options: SubmitCommit): Promise<CommitResult>;
  /** What the same commit would answer; nothing is written. */
  validate(orgName: string, repoName: string, options: SubmitCommit): Promise<CommitResult>;
  /** One commit with its operations. */
  get(orgName: string, repoName: string, repoSeq: number): Promise<ProcedureOutput<'commit.get'>>;
  /** A page of commits, newest first. */
  log(orgName: string, repoName: string, options?: LogCommits): Promise<Page<CommitRecord>>;
  /** What a commit of yours with this id was answered. */
  receipt(orgName: string, repoName: string, submissionId: string): Promise<CommitResult>;
}

export function commitSurface(call: Call): CommitSurface {
  return {
    submit: (orgName, repoName, options) => call('commit.submit', { orgName, repoName, ...inputOf(options) }),
    validate: (orgName, repoName, options) => call('commit.validate', { orgName, repoName, ...inputOf(options) }),
    get: (orgName, repoName, repoSeq) => call('commit.get', { orgName, repoName, repoSeq }),
    log: (orgName, repoName, options = {}) => call('commit.log', { orgName, repoName, ...options }),
    receipt: (orgName, repoName, submissionId) => call('commit.receipt', { orgName, repoName, submissionId }),
  };
}

function inputOf({ operations, ...options }: SubmitCommit) {
  return { ...options, operations: [...operations] };
}
