import type { ActionNotification } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Sight, useSight } from '../../app/sight.ts';
import { notificationList } from '../../data/run.ts';
import { Calls } from '../../parts/calls.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { MorePages } from '../../parts/more-pages.tsx';
import { Text } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { StateMark } from './state-mark.tsx';

/** What somebody should look at. */
export function Notifications() {
  const sight = useSight();
  useTitle('Notifications', `${sight.orgName}/${sight.repoName}`);
  const notifications = useInfiniteQuery(notificationList(sight));
  return (
    <>
      <h1>Notifications</h1>
      <p className="hint">Runs that failed for good, and subscriptions that the server paused, newest first.</p>
      <Loaded query={notifications} what="notifications" isPart>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items);
          if (all.length === 0) return <p>Nothing has failed for good.</p>;
          return (
            <ul className="operated" aria-label="Notifications">
              {all.map((one) => (
                <li key={one.notificationId}>
                  <Line sight={sight} notification={one} />
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
            rest: `/api/repos/${sight.orgName}/${sight.repoName}/actions/notifications`,
          },
        ]}
      />
    </>
  );
}

function Line({ sight, notification }: { sight: Sight; notification: ActionNotification }) {
  const { orgName, repoName } = sight;
  const {
    runId,
    subscriptionName: name,
    status,
    errorCode,
    errorMessage,
    attemptCount,
    repoSeq,
    createdAt,
  } = notification;
  return (
    <>
      <p>
        <Link to="/$orgName/$repoName/operate/subscriptions/$name" params={{ orgName, repoName, name }} search={{}}>
          {name}
        </Link>{' '}
        <StateMark state={status} />{' '}
        {runId !== undefined && (
          <Link to="/$orgName/$repoName/operate/runs/$runId" params={{ orgName, repoName, runId }} search={{}}>
            See the run
          </Link>
        )}
      </p>
      <p className="problem">
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
