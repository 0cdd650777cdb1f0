import type { Subscription } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toSubscription } from '../../app/links.ts';
import { addressOf, type Home, homeName, useHome } from '../../app/sight.ts';
import { List } from '../../ui/list.tsx';
import { Page, PagedList } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { StateMark } from './state-mark.tsx';
import { subjectText, subscriptionList } from './subscription.ts';

export function Subscriptions() {
  const home = useHome();

  const list = useInfiniteQuery(subscriptionList(home));
  return (
    <Page
      title="Subscriptions"
      within={homeName(home)}
      beside={
        <Link
          className="button"
          to="/$orgName/$repoName/operate/subscriptions/-/new"
          params={addressOf(home)}
          search={{}}
        >
          New subscription
        </Link>
      }
    >
      <p className="hint">
        {home.repoName === null
          ? 'A subscription of the organization sends events about its repositories to a webhook. Each event'
          : 'A subscription sends matching commits to a webhook. Each matching commit'}{' '}
        becomes a run: a signed delivery that is retried until it succeeds or fails permanently.
      </p>
      <PagedList query={list} what="subscriptions" none={<p>There are no subscriptions yet.</p>}>
        {(all) => <Listed home={home} subscriptions={all} />}
      </PagedList>
      <Calls shown={[{ what: 'The subscriptions, by name', procedure: 'subscription.list' }]} />
    </Page>
  );
}

const Listed = ({ home, subscriptions }: { home: Home; subscriptions: readonly Subscription[] }) => (
  <List className="operated" items={subscriptions} keyOf={({ name }) => name}>
    {(subscription) => (
      <>
        <p>
          <Link {...toSubscription(home, subscription.name)}>{subscription.name}</Link>{' '}
          <StateMark state={subscription.active ? 'active' : 'paused'} />
        </p>
        <p className="quiet">
          <Text>{subjectText(subscription)}</Text> → <Text>{subscription.webhookOrigin}</Text>
        </p>
      </>
    )}
  </List>
);
