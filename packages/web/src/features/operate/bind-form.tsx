import type { Subscription } from '@cairn/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Home } from '../../app/home.ts';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { credentialSets, credentialsKey } from './credential-set.ts';
import { createSetFor, withNewSecret } from './secret-set.ts';
import { freeSetName } from './set-origin.ts';
import { type Signing, SigningField, setOf } from './signing-field.tsx';
import { useSetProblem } from './use-set-problem.ts';

export interface MadeSecret {
  readonly setName: string;
  readonly secret: string;
}

interface BindFormProps {
  readonly home: Home;
  readonly subscription: Subscription;
  readonly bind: (credentialSet: string) => Promise<unknown>;
  /** To be shown once. */
  readonly onSecret: (made: MadeSecret) => void;
}

/** Gives a subscription that has none a set: one that is there, or a new one with a new secret. */
export function BindForm({ home, subscription, bind, onSecret }: BindFormProps) {
  const { name, webhookOrigin, fallbackWebhookOrigin = '' } = subscription;
  const [signing, setSigning] = useState<Signing>('new');
  const setName = setOf(signing);
  const { data: sets } = useQuery(credentialSets(home));
  const problem = useSetProblem(home, {
    setName,
    ownName: name,
    webhookUrl: webhookOrigin,
    fallbackWebhookUrl: fallbackWebhookOrigin,
  });
  const queries = useQueryClient();
  const say = useNotice();
  const binding = useMutation({
    mutationFn: async () => {
      if (setName !== undefined) {
        await bind(setName);
        return setName;
      }
      const taken = sets?.map((one) => one.name) ?? [];
      const made = freeSetName(name, taken);
      await createSetFor(home, { setName: made, subscriptionName: name });
      const { secret } = await withNewSecret(home, made, () => bind(made));
      onSecret({ setName: made, secret });
      await queries.invalidateQueries({ queryKey: credentialsKey(home) });
      return made;
    },
    onSuccess: (bound) => say({ text: `Deliveries of ${name} are signed with ${bound}.` }),
    gcTime: 0,
  });
  return (
    <>
      <p>Deliveries are not signed: the receiver cannot tell them from what others send it.</p>
      <ActionForm
        label="Bind credentials"
        action="Bind"
        doing="Binding…"
        isPending={binding.isPending}
        problem={binding.isError ? problemOf(binding.error).advice : undefined}
        isReady={problem === undefined && sets !== undefined}
        onSubmit={() => binding.mutate()}
      >
        <SigningField home={home} value={signing} onChange={setSigning} problem={problem} isSome />
      </ActionForm>
    </>
  );
}
