import { useQuery } from '@tanstack/react-query';
import type { Home } from '../../app/sight.ts';
import { ChoiceField } from '../../ui/field.tsx';
import { type Addresses, credentialSets, otherUsers, setProblem } from './credential-set.ts';
import { allSubscriptions } from './subscription.ts';

/** No set; a new one with a new secret; or one that is there, as `set:` and its name. */
export type Signing = 'none' | 'new' | `set:${string}`;

interface SigningFieldProps {
  readonly home: Home;
  readonly value: Signing;
  readonly onChange: (value: Signing) => void;
  readonly problem: string | undefined;
  /** Whether it is to be signed at all events. */
  readonly isSome?: boolean;
}

/** The name of the set that is chosen, where it is one that is there. */
export const setOf = (signing: Signing): string | undefined =>
  signing.startsWith('set:') ? signing.slice('set:'.length) : undefined;

/** What deliveries are signed with. */
export function SigningField({ home, value, onChange, problem, isSome = false }: SigningFieldProps) {
  const sets = useQuery(credentialSets(home)).data?.filter(({ revokedAt }) => revokedAt === undefined) ?? [];
  const options: { value: Signing; label: string }[] = [
    { value: 'new', label: 'A new secret, made here and shown once' },
    ...sets.map(({ name }) => ({ value: `set:${name}` as const, label: `The credential set ${name}` })),
    ...(isSome ? [] : [{ value: 'none' as const, label: 'Nothing: anybody could send the same' }]),
  ];
  return (
    <ChoiceField
      label="Signed with"
      hint="So that the receiver can tell deliveries from what others send it."
      value={value}
      options={options}
      onChange={onChange}
      problem={problem}
    />
  );
}

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
