import type { Subscription } from '@cairn/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf, type Home } from '../../app/home.ts';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import { credentialSets } from '../../data/credential-set.ts';
import { subscriptionNamed, subscriptionsKey } from '../../data/subscription.ts';
import { focusContent } from '../../parts/focus-content.ts';
import { ActButton } from '../../parts/form/act-button.tsx';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { ChoiceField } from '../../parts/form/field.tsx';

interface BindingProps {
  readonly home: Home;
  readonly subscription: Subscription;
}

/** The secrets that deliveries are sent with. */
export function Binding({ home, subscription }: BindingProps) {
  const { credentialSet } = subscription;
  return (
    <section aria-labelledby="binding">
      <h2 id="binding">Credentials</h2>
      {credentialSet === undefined ? (
        <Unbound home={home} subscription={subscription} />
      ) : (
        <Bound home={home} subscription={subscription} credentialSet={credentialSet} />
      )}
    </section>
  );
}

/** Binds a set, or with `undefined` none. */
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

function Bound({ home, subscription: { name }, credentialSet }: BindingProps & { credentialSet: string }) {
  const say = useNotice();
  const bind = useBinding(home, name);
  const undo = {
    label: 'Bind it again',
    run: () => bind(credentialSet).then(() => say({ text: 'It is bound again.' })),
  };
  const unbind = useMutation({
    mutationFn: () => bind(undefined),
    onSuccess: () => say({ text: `Deliveries of ${name} are not signed any more.`, undo }),
  });
  return (
    <>
      <p>
        Deliveries are sent with the secrets of{' '}
        <Link
          to="/$orgName/$repoName/operate/credentials/$name"
          params={{ ...addressOf(home), name: credentialSet }}
          search={{}}
        >
          {credentialSet}
        </Link>
        .{' '}
        <ActButton isSmall isPending={unbind.isPending} onAct={() => unbind.mutate()}>
          Unbind
        </ActButton>
      </p>
      {unbind.isError && (
        <p className="problem" role="alert">
          {problemOf(unbind.error).advice}
        </p>
      )}
    </>
  );
}

function Unbound({ home, subscription: { name } }: BindingProps) {
  const { data: sets = [] } = useQuery(credentialSets(home));
  const usable = sets.filter(({ revokedAt }) => revokedAt === undefined).map((one) => one.name);
  const [chosen, setChosen] = useState('');
  const say = useNotice();
  const bind = useBinding(home, name);
  const binding = useMutation({
    mutationFn: bind,
    onSuccess: (_, credentialSet) => say({ text: `Deliveries of ${name} are signed with ${credentialSet}.` }),
  });
  const value = usable.includes(chosen) ? chosen : (usable[0] ?? '');
  return (
    <>
      <p>Deliveries are not signed: the receiver cannot tell them from what others send it.</p>
      {usable.length === 0 ? (
        <p>
          There is no set to bind yet.{' '}
          <Link to="/$orgName/$repoName/operate/credentials" params={addressOf(home)} search={{}}>
            Make one
          </Link>
          .
        </p>
      ) : (
        <ActionForm
          label="Bind credentials"
          action="Bind"
          doing="Binding…"
          isPending={binding.isPending}
          problem={binding.isError ? problemOf(binding.error).advice : undefined}
          onSubmit={() => binding.mutate(value)}
        >
          <ChoiceField
            label="Credential set"
            value={value}
            options={usable.map((one) => ({ value: one }))}
            onChange={setChosen}
          />
        </ActionForm>
      )}
    </>
  );
}
