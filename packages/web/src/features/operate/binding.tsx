import type { Subscription } from '@cairn/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { addressOf, type Home } from '../../app/home.ts';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { Once } from '../../ui/once.tsx';
import { BindForm, type MadeSecret } from './bind-form.tsx';
import { subscriptionNamed, subscriptionsKey } from './subscription.ts';

interface BindingProps {
  readonly home: Home;
  readonly subscription: Subscription;
}

/** The secrets that deliveries are sent with. */
export function Binding({ home, subscription }: BindingProps) {
  const { name, credentialSet } = subscription;
  const bind = useBinding(home, name);
  const [made, setMade] = useState<MadeSecret>();
  return (
    <section aria-labelledby="binding">
      <h2 id="binding">Credentials</h2>
      {credentialSet === undefined ? (
        <BindForm home={home} subscription={subscription} bind={bind} onSecret={setMade} />
      ) : (
        <Bound home={home} name={name} credentialSet={credentialSet} bind={bind} />
      )}
      {made !== undefined && made.setName === credentialSet && (
        <Once
          title="The new secret"
          texts={[{ what: 'The new secret', text: made.secret }]}
          onDone={() => setMade(undefined)}
        >
          <p>
            Give this secret to the receiver, which verifies signatures with it. It is shown this once: the credential
            set {made.setName} holds it, and does not give it out again.
          </p>
        </Once>
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

interface BoundProps {
  readonly home: Home;
  readonly name: string;
  readonly credentialSet: string;
  readonly bind: (credentialSet: string | undefined) => Promise<unknown>;
}

function Bound({ home, name, credentialSet, bind }: BoundProps) {
  const say = useNotice();
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
