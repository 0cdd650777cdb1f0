import type { Subscription } from '@cairn/sdk';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { toRepository, toRuns, toSubscriptions } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { addressOf, type Home, homeName, useHome } from '../../app/sight.ts';
import { ActButton, CopyButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Facts } from '../../ui/list.tsx';
import { Failure, Loaded, useTitle } from '../../ui/page.tsx';
import { CodeBlock, CodeText, Section, Text } from '../../ui/text.tsx';
import { plain } from '../../ui/unseen.ts';
import { Calls } from '../commit/calls.tsx';
import { Binding } from './binding.tsx';
import { credentialsKey } from './credential-set.ts';
import { deliveryText, runList, runsKey } from './run.ts';
import { Answer, RunList, WaitingAdvice } from './run-actions.tsx';
import { StateMark } from './state-mark.tsx';
import { subjectText, subscriptionNamed, subscriptionsKey } from './subscription.ts';

export function OneSubscription() {
  const home = useHome();
  const { name = '' } = useParams({ strict: false });
  useTitle(plain(name, 100), 'Subscriptions', homeName(home));
  const subscription = useQuery(subscriptionNamed(home, name));
  return (
    <>
      <Loaded query={subscription} what="the subscription">
        {(found) => <SubscriptionView home={home} subscription={found} />}
      </Loaded>
      <Calls
        shown={[
          {
            what: 'The subscription, without the secret parts of its URLs',
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

function SubscriptionView({ home, subscription }: { home: Home; subscription: Subscription }) {
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
      <SubscriptionFacts subscription={subscription} />
      <RevealedUrls home={home} name={name} />
      <Binding home={home} subscription={subscription} />
      {/* The key drops the result of a test delivery when another set is bound. */}
      <TestDelivery key={subscription.credentialSet} home={home} name={name} />
      <LatestRuns home={home} subscription={name} />
      <WhatIsSent subscription={subscription} />
    </>
  );
}

function SubscriptionFacts({ subscription }: { subscription: Subscription }) {
  const { filter, webhookOrigin, fallbackWebhookOrigin, source, component, allowTraceReentry } = subscription;
  return (
    <Facts
      facts={{
        Trigger: <Text>{subjectText({ ...subscription, source: undefined })}</Text>,
        Filter: filter && <CodeText most={2_000}>{JSON.stringify(filter)}</CodeText>,
        Source: source && <SourceLink source={source} />,
        'Sent to': <Text>{webhookOrigin}</Text>,
        Fallback: fallbackWebhookOrigin && <Text>{fallbackWebhookOrigin}</Text>,
        Component: component && <Text>{component}</Text>,
        Loops: allowTraceReentry && 'Includes commits caused by its own deliveries',
        'Created by': <Author createdBy={subscription.createdBy} />,
        Changed: <Moment at={subscription.updatedAt} />,
      }}
    />
  );
}

function SourceLink({ source }: { source: string }) {
  const [orgName = '', repoName = ''] = source.split('/');
  return <Link {...toRepository({ orgName, repoName })}>{source}</Link>;
}

const SHOWN = 5;

function LatestRuns({ home, subscription }: { home: Home; subscription: string }) {
  const runs = useInfiniteQuery(runList(home, { subscription }, SHOWN));
  return (
    <Section id="latest-runs" title="Latest runs">
      <Loaded query={runs} what="runs" isPart>
        {({ pages: [first] }) =>
          first === undefined || first.items.length === 0 ? (
            <p className="quiet">No runs yet.</p>
          ) : (
            <RunList home={home} runs={first.items} />
          )
        }
      </Loaded>
      <p>
        <Link {...toRuns(home, { subscription })}>All runs</Link>
      </p>
    </Section>
  );
}

function TestDelivery({ home, name }: { home: Home; name: string }) {
  const { orgName, repoName } = home;
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => client.subscription.test(orgName, repoName, name),
    onSuccess: () => queries.invalidateQueries({ queryKey: credentialsKey(home) }),
  });
  return (
    <Section id="test-delivery" title="Test">
      <p className="hint">A test delivery is signed like any other. It carries no event and creates no run.</p>
      <ActButton isPending={test.isPending} onAct={() => test.mutate()}>
        {test.isPending ? 'Waiting for the response…' : 'Send a test delivery'}
      </ActButton>
      <div role="status">
        {test.data !== undefined && (
          <>
            <p>{deliveryText(test.data)}</p>
            <Answer answer={test.data} />
            <WaitingAdvice home={home} name={name} errorCode={test.data.errorCode} />
          </>
        )}
      </div>
      <Failure error={test.error} />
    </Section>
  );
}

function WhatIsSent({ subscription }: { subscription: Subscription }) {
  const { orgName, repoName, name, event, source } = subscription;
  const isOwn = repoName === undefined;
  const [originOrg, originRepo] = source?.split('/') ?? [];
  const body = {
    event: event === undefined ? 'cairn.write' : `cairn.${event}`,
    traceId: '6f1c0c2bb3f94a0f8f6f5d1c2b3a4958',
    runId: 'run_01k5v0m3x8t4n6q2r7s9w1y5za',
    attempt: 1,
    subscriptionName: name,
    repo: isOwn ? null : { orgName, repoName },
    ...(source !== undefined && { originRepo: { orgName: originOrg, repoName: originRepo } }),
    ...(!isOwn && { repoSeq: 2 }),
    callback_url: `${window.location.origin}/api/action-runs/run_01k5v0m3x8t4n6q2r7s9w1y5za/callback`,
    ...(event === undefined
      ? {
          matchedOperationIndexes: [0],
          matchedOperations: [{ operation: 'add', kind: 'thing', wref: 'Signal/a', version: 1, data: { level: 3 } }],
        }
      : { data: dataOf(event, orgName) }),
  };
  return (
    <details>
      <summary>Format of a delivery</summary>
      <p>
        A delivery is a <code>POST</code> request with a JSON body like this one. Its headers follow Standard Webhooks:{' '}
        <code>webhook-id</code>, <code>webhook-timestamp</code> and, with a signing secret,{' '}
        <code>webhook-signature</code>. Deliveries can repeat, so use <code>runId</code> to detect duplicates.{' '}
        <a href="/docs/actions">How to receive deliveries</a>.
      </p>
      <CodeBlock>{JSON.stringify(body, null, 2)}</CodeBlock>
    </details>
  );
}

function dataOf(event: string, orgName: string) {
  if (event === 'repo.renamed') return { from: 'world', to: 'valley' };
  return event.endsWith('renamed') ? { from: 'Signal/a', to: 'Signal/b' } : { orgName, repoName: 'world' };
}

/** No cache keeps the revealed URLs, which may be secret. */
function RevealedUrls({ home: { orgName, repoName }, name }: { home: Home; name: string }) {
  const reveal = useMutation({ mutationFn: () => client.subscription.reveal(orgName, repoName, name), gcTime: 0 });
  const { data } = reveal;
  return (
    <div>
      <ActButton
        isSmall
        isPending={reveal.isPending}
        onAct={() => (data === undefined ? reveal.mutate() : reveal.reset())}
      >
        {data === undefined ? 'Show full URLs' : 'Hide URLs'}
      </ActButton>{' '}
      <span className="quiet">The audit log records who views them.</span>
      <div role="status">
        {data !== undefined && (
          <div className="revealed">
            <RevealedUrl what="Webhook URL" url={data.webhookUrl} />
            {data.fallbackWebhookUrl !== undefined && <RevealedUrl what="Fallback URL" url={data.fallbackWebhookUrl} />}
          </div>
        )}
      </div>
      <Failure error={reveal.error} />
    </div>
  );
}

const RevealedUrl = ({ what, url }: { what: string; url: string }) => (
  <p className="secret">
    {what}: <code>{url}</code> <CopyButton text={url} what={what} />
  </p>
);

function SubscriptionActions({ home, subscription }: { home: Home; subscription: Subscription }) {
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
            It gets no more deliveries, and its unfinished runs fail. Its runs remain listed. This cannot be undone.
          </p>
          {credentialSet !== undefined && (
            <p>
              Its credential set {credentialSet} remains. You can delete it separately, or use it for another
              subscription.
            </p>
          )}
        </Confirm>
      </div>
      <Failure error={pausing.error} />
    </>
  );
}

function usePausing(home: Home, name: string) {
  const { queries, invalidate, say } = useFollowUp();
  const { orgName, repoName } = home;
  const turn = async (isActive: boolean) => {
    const { subscription } = client;
    const changed = await (isActive
      ? subscription.pause(orgName, repoName, name)
      : subscription.resume(orgName, repoName, name));
    queries.setQueryData(subscriptionNamed(home, name).queryKey, changed);
    await invalidate(subscriptionsKey(home));
  };
  return useMutation({
    mutationFn: turn,
    onSuccess: (_, wasActive) =>
      say(
        wasActive
          ? {
              text: `${name} is paused. Pending runs wait, and new events create no runs.`,
              undo: { label: 'Resume', run: () => turn(false).then(() => say({ text: `${name} is resumed.` })) },
            }
          : { text: `${name} is resumed. Pending runs and new events are delivered.` },
      ),
  });
}

function useEnd(home: Home, name: string) {
  const { queries, invalidate, navigate, say } = useFollowUp();
  const { orgName, repoName } = home;
  return async () => {
    await client.subscription.delete(orgName, repoName, name);
    await navigate(toSubscriptions(home));
    queries.removeQueries({ queryKey: subscriptionNamed(home, name).queryKey });
    say({ text: `The subscription ${name} is deleted.` });
    await invalidate(subscriptionsKey(home), runsKey(home));
  };
}
