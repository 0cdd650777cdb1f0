import type { ActionNotification } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toRun, toSubscription } from '../../app/links.ts';
import { useNoteSeen } from '../../app/seen.ts';
import { type Home, homeName, useHome } from '../../app/sight.ts';
import { Moment } from '../../ui/byline.tsx';
import { List } from '../../ui/list.tsx';
import { Page, PagedList } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { notificationList } from './run.ts';
import { RunActions } from './run-actions.tsx';
import { StateMark } from './state-mark.tsx';

export function Notifications() {
  const home = useHome();
  const notifications = useInfiniteQuery(notificationList(home));
  const newest = notifications.data?.pages[0]?.items[0]?.createdAt;
  useNoteSeen(home, newest);
  return (
    <Page title="Notifications" within={homeName(home)}>
      <p className="hint">
        Runs that failed permanently, and subscriptions that the server paused, newest first. You can retry a failed run
        here, and resume a paused subscription on its page.
      </p>
      <PagedList query={notifications} what="notifications" none={<p>No failures.</p>}>
        {(all) => (
          <List className="operated" label="Notifications" items={all} keyOf={({ notificationId }) => notificationId}>
            {(one) => <Line home={home} notification={one} />}
          </List>
        )}
      </PagedList>
      <Calls
        shown={{
          what: 'The notifications, newest first',
          procedure: 'action.notifications',
          ...(home.repoName !== null && { rest: `/api/repos/${homeName(home)}/actions/notifications` }),
        }}
      />
    </Page>
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
        <Link {...toSubscription(home, name)}>{name}</Link>{' '}
        <StateMark state={status} isPast={runStatus === 'succeeded'} /> <Since status={status} runStatus={runStatus} />{' '}
        {runId !== undefined && <Link {...toRun(home, runId)}>View run</Link>}{' '}
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
