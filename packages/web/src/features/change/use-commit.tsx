import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { toCommit, toRecord, toRepository, toShape } from '../../app/links.ts';
import { permission } from '../../app/may.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { isMissing } from '../../app/problem.ts';
import { repository, repositoryKey } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { CommitLink } from '../record/record-link.tsx';
import { textNamed } from '../repository/repository-text.ts';
import { type Committed, commitDraft, landingOf, takeBack } from './draft.ts';
import type { Draft } from './kept-draft.ts';

export function useCommit(sight: Sight, { changes, clear }: Draft) {
  const { queries, navigate } = useFollowUp();
  const say = useSayCommitted(sight);
  const askAnew = useAskAnew(sight);
  return useMutation({
    mutationFn: (message: string) => commitDraft(sight, changes, message),
    onSuccess: async (committed) => {
      clear();
      say(committed);
      // Stale pages are not shown again. Waiting for the refetch could undo a later navigation.
      queries.removeQueries({ queryKey: repositoryKey(sight), type: 'inactive' });
      void queries.invalidateQueries({ queryKey: repositoryKey(sight) });
      const only = landingOf(changes);
      if (only !== undefined && textNamed(only) !== undefined) {
        await navigate(toRepository(sight));
      } else if (only === undefined) {
        await navigate(toCommit(sight, committed.repoSeq));
      } else if (only.includes('/')) {
        await navigate(toRecord(sight, only));
      } else {
        await navigate(toShape(sight, only));
      }
    },
    // A conflict shows in the changes; access may have been lost too.
    onError: askAnew,
  });
}

function useSayCommitted(sight: Sight) {
  const { queries, say } = useFollowUp();
  return (committed: Committed) => {
    const { repoSeq, changes } = committed;
    const isRetract = changes.every(({ step }) => step === 'retract');
    const page = (words: string) => (
      <CommitLink sight={sight} repoSeq={repoSeq}>
        {words}
      </CommitLink>
    );
    say({
      text: <>{page(`Committed as ${repoSeq}`)}.</>,
      undo: {
        label: isRetract ? 'Bring it back' : `Take back commit ${repoSeq}`,
        run: async () => {
          const next = await takeBack(sight, committed);
          await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
          say({ text: `Commit ${repoSeq} was taken back by commit ${next}. History keeps both.` });
        },
        otherwise: <>Take it back from {page(`the page of commit ${repoSeq}`)}, beside what was done since.</>,
      },
    });
  };
}

export function useAskAnew({ orgName, repoName }: Sight): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const sight = { orgName, repoName };
    const { queryKey } = repository(sight);
    await Promise.all([
      queries.invalidateQueries({ queryKey: repositoryKey(sight) }),
      queries.invalidateQueries({ queryKey: permission(sight, 'repo:write').queryKey }),
    ]);
    // Otherwise stale data would stay visible.
    if (isMissing(queries.getQueryState(queryKey)?.error)) await queries.resetQueries({ queryKey });
  }, [queries, orgName, repoName]);
}

const ASKED_EVERY_MS = 10_000;

export function useAskAgain(sight: Sight, isStranded: boolean): void {
  const again = isStranded ? ({ refetchInterval: ASKED_EVERY_MS, refetchOnWindowFocus: 'always' } as const) : {};
  useQuery({ ...permission(sight, 'repo:write'), ...again });
  useQuery({ ...repository(sight), ...again });
}
