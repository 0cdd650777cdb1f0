import { useQuery } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { ChoiceField } from '../../ui/field.tsx';
import { credentialSets } from './credential-set.ts';

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
