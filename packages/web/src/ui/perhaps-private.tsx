import { useQuery } from '@tanstack/react-query';
import { whoami } from '../app/queries.ts';
import { SignInLink } from './sign-in-link.tsx';

/** What is private looks to strangers as if it were not there. */
export function PerhapsPrivate() {
  const { data: person } = useQuery(whoami);
  if (person?.kind !== 'anonymous') return null;
  return (
    <p>
      It may be private: <SignInLink>sign in</SignInLink> if it is yours.
    </p>
  );
}
