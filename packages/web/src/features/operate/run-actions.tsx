import type { ActionRun } from '@cairn/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { canBeGivenUp, runsKey } from './run.ts';
import { hasFailed } from './run-pace.ts';

interface RunActionsProps {
  readonly home: Home;
  readonly run: Pick<ActionRun, 'runId' | 'status'>;
}

/** What can be done with a run by hand: one that has failed or waits is tried now, one that waits is given up. */
export function RunActions({ home, run }: RunActionsProps) {
  return (
    <>
      {(hasFailed(run) || run.status === 'retry_wait') && <Retry home={home} run={run} />}{' '}
      {canBeGivenUp(run) && <GiveUp home={home} run={run} />}
    </>
  );
}

function Retry({ home, run: { runId, status } }: RunActionsProps) {
  const { orgName, repoName } = home;
  const isWaiting = status === 'retry_wait';
  const queries = useQueryClient();
  const say = useNotice();
  const retry = useMutation({
    mutationFn: () => client.action.retry(orgName, repoName, runId),
    onSuccess: async ({ subscriptionName: name }) => {
      say({
        text: isWaiting
          ? `The run of ${name} is tried now. Should that fail, it has the attempts that are left.`
          : `The run of ${name} is delivered once more, with as many attempts as at first.`,
      });
      await queries.invalidateQueries({ queryKey: runsKey(home) });
      focusContent();
    },
    onError: (error) => say({ text: `It is not delivered now. ${problemOf(error).advice}`, isFailure: true }),
  });
  const action = isWaiting ? 'Try now' : 'Retry';
  return (
    <ActButton isSmall label={`${action}: ${runId}`} isPending={retry.isPending} onAct={() => retry.mutate()}>
      {action}
    </ActButton>
  );
}

function GiveUp({ home, run: { runId } }: RunActionsProps) {
  const { orgName, repoName } = home;
  const queries = useQueryClient();
  const say = useNotice();
  const giveUp = async () => {
    const { subscriptionName } = await client.action.giveUp(orgName, repoName, runId);
    say({ text: `The run of ${subscriptionName} is given up. It is a dead letter, and can be retried.` });
    await queries.invalidateQueries({ queryKey: runsKey(home) });
  };
  return (
    <Confirm
      action="Give up"
      label={`Give up: ${runId}`}
      isSmall
      title="Give this run up?"
      onConfirm={giveUp}
      onDone={focusContent}
    >
      <p>
        It is tried no more, and becomes a dead letter: with a notification, and told to the fallback address where
        there is one. It can be retried later.
      </p>
    </Confirm>
  );
}
