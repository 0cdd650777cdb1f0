import type { Subscription } from '@cairn/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toCredentialSet } from '../../app/links.ts';
import { useFollowUp, useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { ActButton } from '../../ui/button.tsx';
import { Once } from '../../ui/once.tsx';
import { Failure, focusContent } from '../../ui/page.tsx';
import { Section } from '../../ui/text.tsx';
import { createSetFor, credentialSets, credentialsKey, freeSetName, withNewSecret } from './credential-set.ts';
import { type Signing, SigningField, setNameOf, useSetProblem } from './signing-field.tsx';
import { subscriptionNamed, subscriptionsKey } from './subscription.ts';

export function Binding({ home, subscription }: { home: Home; subscription: Subscription }) {
  const { name, credentialSet } = subscription;
  const bind = useBinding(home, name);
  const [made, setMade] = useState<MadeSecret>();
  return (
    <Section id="binding" title="Credentials">
      {credentialSet === undefined ? (
        <BindForm home={home} subscription={subscription} bind={bind} onSecret={setMade} />
      ) : (
        <Bound home={home} name={name} credentialSet={credentialSet} bind={bind} />
      )}
      {made !== undefined && made.setName === credentialSet && (
        <SigningSecret {...made} onDone={() => setMade(undefined)} />
      )}
    </Section>
  );
}

export const SigningSecret = ({ setName, secret, onDone }: MadeSecret & { onDone: () => void }) => (
  <Once title="New signing secret" texts={{ 'New signing secret': secret }} onDone={onDone}>
    <p>
      Give this secret to the receiver, which uses it to verify signatures. It is shown only once. The credential set{' '}
      {setName} stores it, but never shows it.
    </p>
  </Once>
);

function useBinding(home: Home, name: string) {
  const queries = useQueryClient();
  const { orgName, repoName } = home;
  return async (credentialSet: string | undefined) => {
    const { subscription } = client;
    const changed = await (credentialSet === undefined
      ? subscription.unbindCredentials(orgName, repoName, name)
      : subscription.bindCredentials(orgName, repoName, name, credentialSet));
    queries.setQueryData(subscriptionNamed(home, name).queryKey, changed);
    await queries.invalidateQueries({ queryKey: subscriptionsKey(home) });
    focusContent();
  };
}

interface BoundProps {
  readonly home: Home;
  readonly name: string;
  readonly credentialSet: string;
  readonly bind: (credentialSet: string | undefined) => Promise<unknown>;
}

function Bound({ home, name, credentialSet, bind }: BoundProps) {
  const say = useNotice();
  const undo = {
    label: 'Undo',
    run: () => bind(credentialSet).then(() => say({ text: 'The credential set is bound again.' })),
  };
  const unbind = useMutation({
    mutationFn: () => bind(undefined),
    onSuccess: () => say({ text: `Deliveries of ${name} are no longer signed.`, undo }),
  });
  return (
    <>
      <p>
        Deliveries use the secrets of <Link {...toCredentialSet(home, credentialSet)}>{credentialSet}</Link>.{' '}
        <ActButton isSmall isPending={unbind.isPending} onAct={() => unbind.mutate()}>
          Unbind
        </ActButton>
      </p>
      <Failure error={unbind.error} />
    </>
  );
}

interface MadeSecret {
  readonly setName: string;
  readonly secret: string;
}

interface BindFormProps {
  readonly home: Home;
  readonly subscription: Subscription;
  readonly bind: (credentialSet: string) => Promise<unknown>;
  readonly onSecret: (made: MadeSecret) => void;
}

function BindForm({ home, subscription, bind, onSecret }: BindFormProps) {
  const { name, webhookOrigin, fallbackWebhookOrigin = '' } = subscription;
  const { data: sets } = useQuery(credentialSets(home));
  const { invalidate, say } = useFollowUp();
  const { values, field, form } = useForm(
    { signing: 'new' as Signing },
    {
      run: async ({ signing }) => {
        const setName = setNameOf(signing);
        if (setName !== undefined) {
          await bind(setName);
          return setName;
        }
        const taken = sets?.map((one) => one.name) ?? [];
        const made = freeSetName(name, taken);
        await createSetFor(home, made, name);
        const { secret } = await withNewSecret(home, made, () => bind(made));
        onSecret({ setName: made, secret });
        await invalidate(credentialsKey(home));
        return made;
      },
      done: (bound) => say({ text: `Deliveries of ${name} are now signed with ${bound}.` }),
    },
  );
  const problem = useSetProblem(home, {
    setName: setNameOf(values.signing),
    ownName: name,
    webhookUrl: webhookOrigin,
    fallbackWebhookUrl: fallbackWebhookOrigin,
  });
  return (
    <>
      <p>Deliveries are not signed, so the receiver cannot verify that they come from here.</p>
      <ActionForm
        label="Bind credentials"
        action="Bind"
        doing="Binding…"
        {...form}
        isReady={problem === undefined && sets !== undefined}
      >
        <SigningField home={home} {...field('signing')} problem={problem} isSome />
      </ActionForm>
    </>
  );
}
