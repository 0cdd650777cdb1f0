// What the server would say to a draft, and what it says when it is committed.
import { queryOptions } from '@tanstack/react-query';
import { client } from '../app/session.ts';
import type { Sight } from '../app/sight.ts';
import { type Change, operationsOf, titleOf, undoOf } from './change.ts';
import type { Written } from './commit-calls.ts';
import { repositoryKey } from './queries.ts';

/** Anew whenever something is written to the repository: what was right before may not be any more. */
export const draftCheck = (sight: Sight, changes: readonly Change[]) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'draft-check', 'now', changes],
    queryFn: ({ signal }) =>
      client.commit.validate(sight.orgName, sight.repoName, {
        signal,
        atomic: false,
        operations: operationsOf(changes),
      }),
    enabled: changes.length > 0,
    staleTime: 0,
  });

/** What a commit was, and what takes it back. */
export interface Committed {
  readonly repoSeq: number;
  readonly changes: readonly Change[];
  readonly undo: readonly object[];
}

export async function commitDraft(sight: Sight, changes: readonly Change[], message: string): Promise<Committed> {
  const written = writtenOf(changes, message);
  const { repoSeq, operations } = await client.commit.submit(sight.orgName, sight.repoName, written);
  return { repoSeq, changes, undo: undoOf(changes, operations) };
}

/** The commit, as it is sent. */
export const writtenOf = (changes: readonly Change[], message: string): Written => ({
  message: message.trim() || messageOf(changes),
  operations: operationsOf(changes),
});

/** A log of commits that say nothing helps nobody. */
export function messageOf(changes: readonly Change[]): string {
  const [first, ...others] = changes;
  if (first === undefined) return '';
  return others.length === 0 ? whyOf(first) : `${titleOf(first)}, and ${others.length} more`;
}

/** Who has said why is not asked again. */
function whyOf(change: Change): string {
  const [reason = ''] = change.step === 'retract' ? change.reason.trim().split('\n') : [];
  return reason === '' ? titleOf(change) : `${titleOf(change)}: ${reason}`;
}

export async function takeBack(sight: Sight, { repoSeq, undo }: Committed): Promise<number> {
  const answer = await client.commit.submit(sight.orgName, sight.repoName, {
    operations: undo,
    message: `Take back commit ${repoSeq}`,
  });
  return answer.repoSeq;
}
