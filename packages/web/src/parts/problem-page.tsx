import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { isHidden, isWorthRetrying, problemOf } from '../app/problem.ts';
import { whoami } from '../data/queries.ts';

interface ProblemPageProps {
  readonly error: unknown;
  readonly reset?: () => void;
  /** Whether the rest of the page is there: then it has a heading of its own. */
  readonly isPart?: boolean;
}

export function ProblemPage({ error, reset, isPart = false }: ProblemPageProps) {
  const { title, advice } = problemOf(error);
  const Heading = isPart ? 'h2' : 'h1';
  return (
    <section className="problem" role="alert">
      <Heading>{title}</Heading>
      <p>{advice}</p>
      {isHidden(error) && <SignInFirst />}
      {reset !== undefined && isWorthRetrying(error) && (
        <button type="button" onClick={reset}>
          Try again
        </button>
      )}
    </section>
  );
}

/** What is private looks to strangers as if it were not there. */
function SignInFirst() {
  const { data: person } = useQuery(whoami);
  const address = useLocation({ select: ({ href }) => href });
  if (person?.kind !== 'anonymous') return null;
  return (
    <p>
      It may be private: <a href={`/auth/sign-in?next=${encodeURIComponent(address)}`}>sign in</a> if it is yours.
    </p>
  );
}
