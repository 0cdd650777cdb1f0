import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { whoami } from '../data/queries.ts';

/** What is private looks to strangers as if it were not there. */
export function PerhapsPrivate() {
  const { data: person } = useQuery(whoami);
  const address = useLocation({ select: ({ href }) => href });
  if (person?.kind !== 'anonymous') return null;
  return (
    <p>
      It may be private: <a href={`/auth/sign-in?next=${encodeURIComponent(address)}`}>sign in</a> if it is yours.
    </p>
  );
}
