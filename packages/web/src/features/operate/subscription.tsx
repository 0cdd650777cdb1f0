import type { Subscription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Calls } from '../../app/calls.tsx';
import { type Home, homeName, useHome } from '../../app/home.ts';
import { Author } from '../../ui/author.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Moment } from '../../ui/moment.tsx';
import { plain, Text } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { Binding } from './binding.tsx';
import { subjectText } from './filter-draft.ts';
import { LatestRuns } from './latest-runs.tsx';
import { RevealedUrls } from './revealed-urls.tsx';
import { StateMark } from './state-mark.tsx';
import { subscriptionNamed } from './subscription.ts';
import { SubscriptionActions } from './subscription-actions.tsx';
import { TestDelivery } from './test-delivery.tsx';
import { WhatIsSent } from './what-is-sent.tsx';

export function OneSubscription() {
  const home = useHome();
  const { name = '' } = useParams({ strict: false });
  useTitle(plain(name, 100), 'Subscriptions', homeName(home));
  const subscription = useQuery(subscriptionNamed(home, name));
  return (
    <>
      <Loaded query={subscription} what="the subscription">
        {(found) => <Shown home={home} subscription={found} />}
      </Loaded>
      <Calls
        shown={[
          {
            what: 'The subscription, without what may be secret in its addresses',
            procedure: 'subscription.get',
            given: [name],
            names: ['name'],
            command: 'subscription view',
          },
          { what: 'Its runs, newest first', procedure: 'action.runs', options: { subscription: name } },
        ]}
      />
    </>
  );
}

function Shown({ home, subscription }: { home: Home; subscription: Subscription }) {
  const { name, active, pausedReason } = subscription;
  return (
    <>
      <h1>
        {name} <StateMark state={active ? 'active' : 'paused'} />
      </h1>
      {pausedReason !== undefined && (
        <p className="problem">
          The server paused it: <Text>{pausedReason}</Text>
        </p>
      )}
      <SubscriptionActions home={home} subscription={subscription} />
      <Facts subscription={subscription} />
      <RevealedUrls home={home} name={name} />
      <Binding home={home} subscription={subscription} />
      {/* What was answered holds for the set that it was sent with. */}
      <TestDelivery key={subscription.credentialSet} home={home} name={name} />
      <LatestRuns home={home} subscription={name} />
      <WhatIsSent subscription={subscription} />
    </>
  );
}

function Facts({ subscription }: { subscription: Subscription }) {
  const { filter, webhookOrigin, fallbackWebhookOrigin, source, component, allowTraceReentry } = subscription;
  const facts = [
    ['Told of', <Text key="subject">{subjectText({ ...subscription, source: undefined })}</Text>],
    [
      'Filter',
      filter && (
        <code key="filter">
          <Text most={2_000}>{JSON.stringify(filter)}</Text>
        </code>
      ),
    ],
    ['Commits of', source && <SourceLink key="source" source={source} />],
    ['Sent to', <Text key="to">{webhookOrigin}</Text>],
    ['Fallback', fallbackWebhookOrigin && <Text key="fallback">{fallbackWebhookOrigin}</Text>],
    ['Component', component && <Text key="component">{component}</Text>],
    ['Own traces', allowTraceReentry && 'Also commits that follow from its own deliveries'],
    ['Made by', <Author key="author" createdBy={subscription.createdBy} />],
    ['Changed', <Moment key="changed" at={subscription.updatedAt} />],
  ] as const;
  return (
    <dl className="facts">
      {facts.map(
        ([label, fact]) =>
          fact && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{fact}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function SourceLink({ source }: { source: string }) {
  const [orgName = '', repoName = ''] = source.split('/');
  return (
    <Link to="/$orgName/$repoName" params={{ orgName, repoName }} search={{}}>
      {source}
    </Link>
  );
}
