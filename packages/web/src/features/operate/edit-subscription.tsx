import { ORGANIZATION_EVENTS, REPOSITORY_EVENTS } from '@cairn/protocol/vocabulary';
import type { Subscription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { toSubscription } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { type Home, homeName, useHome } from '../../app/sight.ts';
import { useForm } from '../../ui/action-form.tsx';
import { TickField } from '../../ui/field.tsx';
import { Loaded, useTitle } from '../../ui/page.tsx';
import { plain } from '../../ui/unseen.ts';
import { moveProblem, otherUsers } from './credential-set.ts';
import { allSubscriptions, subscriptionNamed, subscriptionsKey } from './subscription.ts';
import { SUBSCRIPTION_PROBLEMS, type SubscriptionDraft, SubscriptionForm, subjectOf } from './subscription-form.tsx';

export function EditSubscription() {
  const home = useHome();
  const { name = '' } = useParams({ strict: false });
  useTitle(`Edit ${plain(name, 100)}`, homeName(home));
  const subscription = useQuery(subscriptionNamed(home, name));
  return (
    <Loaded query={subscription} what="the subscription">
      {(found) => <Edited key={found.name} home={home} subscription={found} />}
    </Loaded>
  );
}

function Edited({ home, subscription }: { home: Home; subscription: Subscription }) {
  const { name, credentialSet } = subscription;
  const { data: all = [] } = useQuery(allSubscriptions(home));
  const [isWithoutFallback, setIsWithoutFallback] = useState(false);
  const { queries, invalidate, navigate, say } = useFollowUp();
  const state = useForm<SubscriptionDraft, Subscription>(draftOf(subscription), {
    run: (draft) => update(home, name, draft, isWithoutFallback),
    ...SUBSCRIPTION_PROBLEMS,
    done: async (changed) => {
      queries.setQueryData(subscriptionNamed(home, changed.name).queryKey, changed);
      await navigate(toSubscription(home, changed.name));
      say({ text: `The subscription ${changed.name} was changed. The changes apply to new events.` });
      await invalidate(subscriptionsKey(home));
    },
  });
  return (
    <>
      <h1>Edit {name}</h1>
      <SubscriptionForm
        home={home}
        label={`Edit ${name}`}
        action="Save"
        doing="Saving…"
        present={subscription}
        addressProblem={
          credentialSet === undefined
            ? undefined
            : moveProblem(subscription, state.values.webhookUrl, otherUsers(credentialSet, all, name))
        }
        state={state}
        beside={<Link {...toSubscription(home, name)}>Cancel</Link>}
      >
        {subscription.fallbackWebhookOrigin !== undefined && (
          <TickField label="Remove the fallback URL" isTicked={isWithoutFallback} onChange={setIsWithoutFallback} />
        )}
      </SubscriptionForm>
    </>
  );
}

/** Addresses may be secret: empty ones stay as they are. */
const draftOf = ({ name, filter = {}, event, source = '', allowTraceReentry }: Subscription): SubscriptionDraft => ({
  name,
  subject: [...REPOSITORY_EVENTS, ...ORGANIZATION_EVENTS].find((one) => one === event) ?? 'filter',
  filter: { way: 'parts', filter },
  webhookUrl: '',
  fallbackWebhookUrl: '',
  source,
  allowTraceReentry,
});

function update({ orgName, repoName }: Home, name: string, draft: SubscriptionDraft, isWithoutFallback: boolean) {
  const { name: newName, webhookUrl, fallbackWebhookUrl, allowTraceReentry } = draft;
  return client.subscription.update(orgName, repoName, name, {
    ...subjectOf(draft),
    ...(newName !== name && { newName }),
    ...(webhookUrl !== '' && { webhookUrl }),
    ...(isWithoutFallback ? { fallbackWebhookUrl: null } : fallbackWebhookUrl !== '' && { fallbackWebhookUrl }),
    allowTraceReentry,
  });
}
