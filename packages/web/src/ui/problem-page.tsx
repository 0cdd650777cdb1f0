import { useLive } from '../app/live.tsx';
import { isHidden, isWorthRetrying, problemOf } from '../app/problem.ts';
import { PerhapsPrivate } from './perhaps-private.tsx';

interface ProblemPageProps {
  readonly error: unknown;
  readonly reset?: () => void;
  /** Whether the rest of the page is there: then it has a heading of its own. */
  readonly isPart?: boolean;
}

export function ProblemPage({ error, reset, isPart = false }: ProblemPageProps) {
  const { title, advice } = problemOf(error);
  // Said above the whole page, where it is the repository that is closed.
  const isTold = useLive().state === 'closed';
  if (isTold && isPart && isHidden(error)) return <p className="quiet">It was not loaded before.</p>;
  const Heading = isPart ? 'h2' : 'h1';
  return (
    <section className="problem" role="alert">
      <Heading>{title}</Heading>
      <p>{advice}</p>
      {isHidden(error) && !isTold && <PerhapsPrivate />}
      {reset !== undefined && isWorthRetrying(error) && (
        <button type="button" onClick={reset}>
          Try again
        </button>
      )}
    </section>
  );
}
