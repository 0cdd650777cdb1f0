import { CairnError, type Subscription } from '@cairn/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toSubscription } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { type Home, homeName, useHome } from '../../app/sight.ts';
import { useForm } from '../../ui/action-form.tsx';
import { Page } from '../../ui/page.tsx';
import { SigningSecret } from './binding.tsx';
import { createSetFor, credentialsKey, withNewSecret } from './credential-set.ts';
import { type Signing, SigningField, setNameOf, useSetProblem } from './signing-field.tsx';
import { subscriptionsKey } from './subscription.ts';
import { SUBSCRIPTION_PROBLEMS, type SubscriptionDraft, SubscriptionForm, subjectOf } from './subscription-form.tsx';

const EMPTY_SUBSCRIPTION: SubscriptionDraft = {
  name: '',
  subject: 'filter',
  filter: { way: 'parts', filter: {} },
  webhookUrl: '',
  fallbackWebhookUrl: '',
  source: '',
  allowTraceReentry: false,
};

interface Made {
  readonly subscription: Subscription;
  readonly secret?: string;
}

export function NewSubscription() {
  const home = useHome();
  const [signing, setSigning] = useState<Signing>('new');
  const [made, setMade] = useState<Made>();
  const { invalidate, navigate, say } = useFollowUp();
  const state = useForm<SubscriptionDraft, Made>(
    { ...EMPTY_SUBSCRIPTION, subject: home.repoName === null ? 'repo.created' : 'filter' },
    {
      run: (draft) => create(home, draft, signing),
      ...SUBSCRIPTION_PROBLEMS,
      done: async (created, { name }) => {
        await invalidate(subscriptionsKey(home), credentialsKey(home));
        setMade(created);
        if (created.secret !== undefined) return;
        say({ text: `The subscription ${name} was created. It applies to new events.` });
        await navigate(toSubscription(home, name));
      },
    },
  );
  const { webhookUrl, fallbackWebhookUrl } = state.values;
  const problem = useSetProblem(home, { setName: setNameOf(signing), webhookUrl, fallbackWebhookUrl });
  if (made?.secret !== undefined) return <MadeWithSecret home={home} {...made} secret={made.secret} />;
  return (
    <Page title="New subscription" within={homeName(home)}>
      <SubscriptionForm
        home={home}
        label="New subscription"
        action="Create subscription"
        doing="Creating…"
        state={state}
        lacks={problem && 'Choose another set under “Signed with” first.'}
      >
        <SigningField home={home} value={signing} onChange={setSigning} problem={problem} />
      </SubscriptionForm>
    </Page>
  );
}

/** Credentials first, so that nothing is ever sent unsigned. They are removed if the subscription fails. */
async function create(home: Home, draft: SubscriptionDraft, signing: Signing): Promise<Made> {
  const { orgName, repoName } = home;
  const { name, webhookUrl, fallbackWebhookUrl, source, allowTraceReentry } = draft;
  const subject = subjectOf(draft);
  if (subject === undefined) throw new Error('The filter is not a JSON object. Fix the JSON, or use the form.');
  const form = {
    ...subject,
    webhookUrl,
    ...(fallbackWebhookUrl !== '' && { fallbackWebhookUrl }),
    ...(source !== '' && { source }),
    allowTraceReentry,
  };
  if (signing !== 'new') {
    const credentialSet = setNameOf(signing);
    const options = { ...form, ...(credentialSet !== undefined && { credentialSet }) };
    return { subscription: await client.subscription.create(orgName, repoName, name, options) };
  }
  await createSetFor(home, name, name).catch(async (error: unknown) => {
    throw (await nameProblem(home, name, error)) ?? error;
  });
  const options = { ...form, credentialSet: name };
  const made = () => client.subscription.create(orgName, repoName, name, options);
  const { used, secret } = await withNewSecret(home, name, made);
  return { subscription: used, secret };
}

/** The set takes the subscription's name, so a problem of one is a problem of the other. */
async function nameProblem(home: Home, name: string, cause: unknown): Promise<CairnError | undefined> {
  const code = cause instanceof CairnError ? cause.code : undefined;
  if (code !== 'VALIDATION_ERROR' && code !== 'ALREADY_EXISTS') return undefined;
  const message =
    code === 'ALREADY_EXISTS'
      ? await takenWords(home, name)
      : 'This is not a valid name. Use 1 to 100 of A-Z, a-z, 0-9, ., _ and -.';
  return new CairnError('VALIDATION_ERROR', { message, details: [{ path: '/name', message }], cause });
}

async function takenWords({ orgName, repoName }: Home, name: string): Promise<string> {
  const isThere = await client.subscription.get(orgName, repoName, name).then(
    () => true,
    () => false,
  );
  if (isThere) return `The subscription ${name} already exists. Choose another name.`;
  const { revokedAt } = await client.credential.get(orgName, repoName, name);
  return revokedAt === undefined
    ? `The credential set ${name} already exists. Choose it under “Signed with”, or choose another name.`
    : `A revoked credential set ${name} already exists. Choose another name, or delete the set first.`;
}

function MadeWithSecret({ home, subscription: { name }, secret }: Made & { home: Home; secret: string }) {
  const navigate = useNavigate();
  const goOn = () => void navigate(toSubscription(home, name));
  return (
    <Page title="Subscription created" within={homeName(home)}>
      <SigningSecret setName={name} secret={secret} onDone={goOn} />
    </Page>
  );
}
