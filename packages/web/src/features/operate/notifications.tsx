import type { ActionNotification } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNoteSeen } from '../../app/seen.ts';
import { addressOf, type Home, homeName, useHome } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Moment } from '../../ui/moment.tsx';
import { MorePages } from '../../ui/more-pages.tsx';
import { Text } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { Calls } from '../commit/calls.tsx';
import { notificationList } from './run.ts';
import { RunActions } from './run-actions.tsx';
import { StateMark } from './state-mark.tsx';

export function Notifications() {
  const home = useHome();
  useTitle('Notifications', homeName(home));
  const notifications = useInfiniteQuery(notificationList(home));
  const newest = notifications.data?.pages[0]?.items[0]?.createdAt;
  useNoteSeen(home, newest);
  return (
    <>
      <h1>Notifications</h1>
      <p className="hint">
        Runs that failed for good, and subscriptions that the server paused, newest first. A run that has failed can be
        retried; a subscription that is paused can be resumed on its page.
      </p>
      <Loaded query={notifications} what="notifications" isPart>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items);
          if (all.length === 0) return <p>Nothing has failed for good.</p>;
          return (
            <ul className="operated" aria-label="Notifications">
              {all.map((one) => (
                <li key={one.notificationId}>
                  <Line home={home} notification={one} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <MorePages query={notifications} what="notifications" />
      <Calls
        shown={[
          {
            what: 'The notifications, newest first',
            procedure: 'action.notifications',
            ...(home.repoName !== null && { rest: `/api/repos/${homeName(home)}/actions/notifications` }),
          },
        ]}
      />
    </>
  );
}

function Line({ home, notification }: { home: Home; notification: ActionNotification }) {
  const {
    runId,
    subscriptionName: name,
    status,
    runStatus,
    errorCode,
    errorMessage,
    attemptCount,
    repoSeq,
    createdAt,
  } = notification;
  return (
    <>
      <div className="run-line">
        <Link to="/$orgName/$repoName/operate/subscriptions/$name" params={{ ...addressOf(home), name }} search={{}}>
          {name}
        </Link>{' '}
        <StateMark state={status} isPast={runStatus === 'succeeded'} /> <Since status={status} runStatus={runStatus} />{' '}
        {runId !== undefined && (
          <Link to="/$orgName/$repoName/operate/runs/$runId" params={{ ...addressOf(home), runId }} search={{}}>
            See the run
          </Link>
        )}{' '}
        {runId !== undefined && runStatus !== undefined && (
          <RunActions home={home} run={{ runId, status: runStatus }} />
        )}
      </div>
      <p className={runStatus === 'succeeded' ? 'quiet' : 'problem'}>
        <Text>{errorCode}</Text>: <Text most={2_000}>{errorMessage}</Text>
      </p>
      <p className="quiet">
        <Moment at={createdAt} />
        {attemptCount > 0 && `, after ${attemptCount} ${attemptCount === 1 ? 'attempt' : 'attempts'}`}
        {repoSeq !== undefined && `, of commit ${repoSeq.toLocaleString('en')}`}
      </p>
    </>
  );
}

function Since({ status, runStatus }: Pick<ActionNotification, 'status' | 'runStatus'>) {
  if (runStatus === undefined || runStatus === status) return null;
  return (
    <>
      → <StateMark state={runStatus} />
    </>
  );
}
