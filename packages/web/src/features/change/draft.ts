// What the server would say to a draft, and what it says when it is committed.
import { queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import type { Written } from '../commit/commit-calls.ts';
import { type Change, operationsOf } from './change.ts';
import { undoOf } from './change-undo.ts';
import { messageOf, takeBackMessage } from './message.ts';

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

export async function takeBack(sight: Sight, { repoSeq, undo }: Committed): Promise<number> {
  const answer = await client.commit.submit(sight.orgName, sight.repoName, {
    operations: undo,
    message: takeBackMessage([repoSeq]),
  });
  return answer.repoSeq;
}
