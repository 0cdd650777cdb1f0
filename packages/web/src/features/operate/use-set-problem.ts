import { useQuery } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { credentialSets } from './credential-set.ts';
import { type Addresses, otherUsers, setProblem } from './set-origin.ts';
import { allSubscriptions } from './subscription.ts';

interface Chosen extends Addresses {
  /** Undefined: none of those that are there. */
  readonly setName: string | undefined;
  /** Of the subscription, where it is there already. */
  readonly ownName?: string;
}

/** Why the set that is chosen cannot be taken for the addresses that are typed. */
export function useSetProblem(home: Home, { setName, ownName, ...addresses }: Chosen): string | undefined {
  const set = useQuery(credentialSets(home)).data?.find(({ name }) => name === setName);
  const { data: subscriptions = [] } = useQuery(allSubscriptions(home));
  return set && setProblem(set, addresses, otherUsers(set.name, subscriptions, ownName));
}
