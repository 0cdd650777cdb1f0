import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Answer } from './answer.tsx';
import { credentialsKey } from './credential-set.ts';
import { deliveryText } from './delivery-text.ts';
import { WaitingAdvice } from './waiting-advice.tsx';

/** Sends a delivery that tells of nothing, and shows what came back. */
export function TestDelivery({ home, name }: { home: Home; name: string }) {
  const { orgName, repoName } = home;
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => client.subscription.test(orgName, repoName, name),
    // The use of credentials is on record.
    onSuccess: () => queries.invalidateQueries({ queryKey: credentialsKey(home) }),
  });
  return (
    <section aria-labelledby="test-delivery">
      <h2 id="test-delivery">Try it</h2>
      <p className="hint">A test delivery is signed like others, tells of nothing, and is no run.</p>
      <ActButton isPending={test.isPending} onAct={() => test.mutate()}>
        {test.isPending ? 'Waiting for the answer…' : 'Send a test delivery'}
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
      {test.isError && (
        <p className="problem" role="alert">
          {problemOf(test.error).advice}
        </p>
      )}
    </section>
  );
}
