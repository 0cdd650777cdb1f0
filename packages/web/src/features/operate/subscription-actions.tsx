import type { Subscription } from '@cairn/sdk';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toSubscriptions } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { addressOf, type Home } from '../../app/sight.ts';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Failure } from '../../ui/page.tsx';
import { runsKey } from './run.ts';
import { subscriptionNamed, subscriptionsKey } from './subscription.ts';

export function SubscriptionActions({ home, subscription }: { home: Home; subscription: Subscription }) {
  const { name, active, credentialSet } = subscription;
  const pausing = usePausing(home, name);
  const end = useEnd(home, name);
  return (
    <>
      <div className="actions">
        <ActButton isPending={pausing.isPending} onAct={() => pausing.mutate(active)}>
          {active ? 'Pause' : 'Resume'}
        </ActButton>
        <Link
          className="button secondary"
          to="/$orgName/$repoName/operate/subscriptions/$name/edit"
          params={{ ...addressOf(home), name }}
          search={{}}
        >
          Edit
        </Link>
        <Confirm action="Delete" title={`Delete ${name}?`} typed={name} onConfirm={end}>
          <p>
            Commits are told to it no more, and runs that are not over end as failed. Its runs stay listed. This cannot
            be undone.
          </p>
          {credentialSet !== undefined && (
            <p>Its credential set {credentialSet} stays, and can be deleted by itself, or used by another.</p>
          )}
        </Confirm>
      </div>
      <Failure error={pausing.error} />
    </>
  );
}

function usePausing(home: Home, name: string) {
  const { queries, say } = useFollowUp();
  const { orgName, repoName } = home;
  const turn = async (isActive: boolean) => {
    const { subscription } = client;
    const changed = await (isActive
      ? subscription.pause(orgName, repoName, name)
      : subscription.resume(orgName, repoName, name));
    queries.setQueryData(subscriptionNamed(home, name).queryKey, changed);
    await queries.invalidateQueries({ queryKey: subscriptionsKey(home) });
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

function useEnd(home: Home, name: string) {
  const { queries, navigate, say } = useFollowUp();
  const { orgName, repoName } = home;
  return async () => {
    await client.subscription.delete(orgName, repoName, name);
    await navigate(toSubscriptions(home));
    queries.removeQueries({ queryKey: subscriptionNamed(home, name).queryKey });
    say({ text: `The subscription ${name} is deleted.` });
    await Promise.all([
      queries.invalidateQueries({ queryKey: subscriptionsKey(home) }),
      queries.invalidateQueries({ queryKey: runsKey(home) }),
    ]);
  };
}
