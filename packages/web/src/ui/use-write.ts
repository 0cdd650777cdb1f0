import { useMutation } from '@tanstack/react-query';
import { problemsOf } from './problems.ts';

interface Write<Result> {
  readonly run: () => Promise<Result>;
  /** What follows: what is asked anew, what is said, where one goes. */
  readonly done: (result: Result) => unknown;
  /** The paths of what has a field of its own. */
  readonly fields?: readonly string[];
  /** Which of them a name that is taken is told at. */
  readonly taken?: string;
  /** And which of them somebody who is not there is told at. */
  readonly unknown?: string;
}

/** One write by an `ActionForm`, and what the server said against it. Nothing of its answer is kept: it may be a secret. */
export function useWrite<Result>({ run, done, fields = [], taken, unknown }: Write<Result>) {
  const { mutate, reset, isPending, error } = useMutation({ mutationFn: run, onSuccess: done, gcTime: 0 });
  const { byPath, whole } = problemsOf(error, fields, { ALREADY_EXISTS: taken, NOT_FOUND: unknown });
  return {
    /** For the form. */
    form: { onSubmit: () => mutate(undefined, { onSuccess: () => reset() }), isPending, problem: whole },
    problemAt: (path: string): string | undefined => byPath.get(path),
  };
}
