import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { addressOf, type Home } from '../../app/home.ts';
import { credentialSets } from './credential-set.ts';
import { otherUsers, waitingAdvice } from './set-origin.ts';
import { allSubscriptions } from './subscription.ts';

interface WaitingAdviceProps {
  readonly home: Home;
  /** Of the subscription. */
  readonly name: string;
  readonly errorCode: string | undefined;
}

/** Where nothing was sent since its set waits for new keys, and still does: what to do, which depends on who else uses the set. */
export function WaitingAdvice({ home, name, errorCode }: WaitingAdviceProps) {
  const enabled = errorCode === 'CREDENTIALS_UNBOUND';
  const { data: subscriptions = [] } = useQuery({ ...allSubscriptions(home), enabled });
  const subscription = subscriptions.find((one) => one.name === name);
  const credentialSet = subscription?.credentialSet;
  const { data: sets = [] } = useQuery({ ...credentialSets(home), enabled });
  const isWaiting = sets.some(({ name: setName, unboundAt }) => setName === credentialSet && unboundAt !== undefined);
  if (!isWaiting || subscription === undefined || credentialSet === undefined) return null;
  const address = addressOf(home);
  return (
    <p>
      {waitingAdvice(subscription, otherUsers(credentialSet, subscriptions, name))}{' '}
      <Link to="/$orgName/$repoName/operate/credentials/$name" params={{ ...address, name: credentialSet }} search={{}}>
        The set {credentialSet}
      </Link>
      {', '}
      <Link to="/$orgName/$repoName/operate/subscriptions/$name" params={{ ...address, name }} search={{}}>
        the subscription {name}
      </Link>
    </p>
  );
}
