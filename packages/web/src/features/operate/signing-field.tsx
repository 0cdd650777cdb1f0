import { useQuery } from '@tanstack/react-query';
import type { Home } from '../../app/sight.ts';
import { ChoiceField } from '../../ui/field.tsx';
import { type Addresses, credentialSets, otherUsers, setProblem } from './credential-set.ts';
import { allSubscriptions } from './subscription.ts';

export type Signing = 'none' | 'new' | `set:${string}`;

interface SigningFieldProps {
  readonly home: Home;
  readonly value: Signing;
  readonly onChange: (value: Signing) => void;
  readonly problem: string | undefined;
  readonly isSome?: boolean;
}

export const setNameOf = (signing: Signing): string | undefined =>
  signing.startsWith('set:') ? signing.slice('set:'.length) : undefined;

export function SigningField({ home, value, onChange, problem, isSome = false }: SigningFieldProps) {
  const sets = useQuery(credentialSets(home)).data?.filter(({ revokedAt }) => revokedAt === undefined) ?? [];
  const options: { value: Signing; label: string }[] = [
    { value: 'new', label: 'A new secret, shown once' },
    ...sets.map(({ name }) => ({ value: `set:${name}` as const, label: `The credential set ${name}` })),
    ...(isSome ? [] : [{ value: 'none' as const, label: 'Nothing: the receiver cannot verify deliveries' }]),
  ];
  return (
    <ChoiceField
      label="Signed with"
      hint="The receiver uses the signature to verify that a delivery comes from here."
      value={value}
      options={options}
      onChange={onChange}
      problem={problem}
    />
  );
}

interface Chosen extends Addresses {
  readonly setName: string | undefined;
  readonly ownName?: string;
}

export function useSetProblem(home: Home, { setName, ownName, ...addresses }: Chosen): string | undefined {
  const set = useQuery(credentialSets(home)).data?.find(({ name }) => name === setName);
  const { data: subscriptions = [] } = useQuery(allSubscriptions(home));
  return set && setProblem(set, addresses, otherUsers(set.name, subscriptions, ownName));
}
