import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { runsKey } from '../../data/run.ts';
import { focusContent } from '../../parts/focus-content.ts';
import { ActButton } from '../../parts/form/act-button.tsx';

/** Delivers a run that failed once more. */
export function RetryButton({ sight, runId }: { sight: Sight; runId: string }) {
  const { orgName, repoName } = sight;
  const queries = useQueryClient();
  const say = useNotice();
  const retry = useMutation({
    mutationFn: () => client.action.retry(orgName, repoName, runId),
    onSuccess: async ({ subscriptionName }) => {
      say({ text: `The run of ${subscriptionName} is delivered once more, with as many attempts as at first.` });
      await queries.invalidateQueries({ queryKey: runsKey(sight) });
      focusContent();
    },
    onError: (error) => say({ text: `It is not delivered again. ${problemOf(error).advice}` }),
  });
  return (
    <ActButton isSmall label={`Retry ${runId}`} isPending={retry.isPending} onAct={() => retry.mutate()}>
      Retry
    </ActButton>
  );
}
