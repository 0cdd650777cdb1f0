import type { Subscription } from '@cairn/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { runsKey } from '../../data/run.ts';
import { subscriptionNamed, subscriptionsKey } from '../../data/subscription.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';

interface SubscriptionActionsProps {
  readonly sight: Sight;
  readonly subscription: Subscription;
}

/** What can be done with a subscription as a whole. */
export function SubscriptionActions({ sight, subscription: { name, active } }: SubscriptionActionsProps) {
  const { orgName, repoName } = sight;
  const pausing = usePausing(sight, name);
  const end = useEnd(sight, name);
  return (
    <>
      <div className="actions">
        <ActButton isPending={pausing.isPending} onAct={() => pausing.mutate(active)}>
          {active ? 'Pause' : 'Resume'}
        </ActButton>
        <Link
          className="button secondary"
          to="/$orgName/$repoName/operate/subscriptions/$name/edit"
          params={{ orgName, repoName, name }}
          search={{}}
        >
          Edit
        </Link>
        <Confirm action="Delete" title={`Delete ${name}?`} typed={name} onConfirm={end}>
          <p>
            Commits are told to it no more, and runs that are not over end as failed. Its runs stay listed. This cannot
            be undone.
          </p>
        </Confirm>
      </div>
      {pausing.isError && (
        <p className="problem" role="alert">
          {problemOf(pausing.error).advice}
        </p>
      )}
    </>
  );
}

/** Pauses one that is active, and resumes one that is not. */
function usePausing(sight: Sight, name: string) {
  const queries = useQueryClient();
  const say = useNotice();
  const { orgName, repoName } = sight;
  const turn = async (isActive: boolean) => {
    const { subscription } = client;
    const changed = await (isActive
      ? subscription.pause(orgName, repoName, name)
      : subscription.resume(orgName, repoName, name));
    queries.setQueryData(subscriptionNamed(sight, name).queryKey, changed);
    await queries.invalidateQueries({ queryKey: subscriptionsKey(sight) });
  };
  return useMutation({
    mutationFn: turn,
    onSuccess: (_, wasActive) =>
      say(
        wasActive
          ? {
              text: `${name} is paused: commits are not told, and what waits is held.`,
              undo: { label: 'Resume', run: () => turn(false).then(() => say({ text: `${name} goes on.` })) },
            }
          : { text: `${name} goes on: what was held is delivered, and commits from now on are told.` },
      ),
  });
}

function useEnd(sight: Sight, name: string) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const { orgName, repoName } = sight;
  return async () => {
    await client.subscription.delete(orgName, repoName, name);
    await navigate({ to: '/$orgName/$repoName/operate/subscriptions', params: { orgName, repoName } });
    queries.removeQueries({ queryKey: subscriptionNamed(sight, name).queryKey });
    say({ text: `The subscription ${name} is deleted.` });
    await Promise.all([
      queries.invalidateQueries({ queryKey: subscriptionsKey(sight) }),
      queries.invalidateQueries({ queryKey: runsKey(sight) }),
    ]);
  };
}
