import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef } from 'react';
import { useOnline } from '../app/problem.ts';
import { problemsOf } from './problems.ts';
import { Text } from './text.tsx';

interface ActionFormProps {
  /** What the form does; said to who hears the page. */
  readonly label: string;
  readonly onSubmit: () => void;
  /** On the button. */
  readonly action: string;
  /** While it is done, on the button. */
  readonly doing: string;
  readonly isPending: boolean;
  /** What belongs to no single field. */
  readonly problem?: string | undefined;
  readonly isReady?: boolean;
  /** What is to be done first, said beside the button where the field of it may be far above. */
  readonly lacks?: string | undefined;
  readonly children: ReactNode;
  /** Beside the button. */
  readonly beside?: ReactNode;
}

/** Fields, and the one thing that they are for. What is wrong is told above the button, and the first field of it is gone to. */
export function ActionForm(props: ActionFormProps) {
  const { label, onSubmit, action, doing, isPending, problem, lacks, children, beside } = props;
  const form = useRef<HTMLFormElement>(null);
  const isOnline = useOnline();
  const lacksId = useId();
  const isReady = (props.isReady ?? true) && lacks === undefined;
  useFirstProblem(form, isPending);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!isPending && isReady) onSubmit();
  };
  return (
    <form className="action-form" aria-label={label} ref={form} onSubmit={submit}>
      {children}
      {problem !== undefined && (
        <p className="problem" role="alert">
          <Text most={2_000}>{problem}</Text>
        </p>
      )}
      {isPending && !isOnline && (
        <p className="hint" role="status">
          You are offline. This goes on when you are back.
        </p>
      )}
      <div className="actions">
        {/* Not `disabled`: it would lose the focus, and whoever presses it is told by the browser which field is empty. */}
        <button
          type="submit"
          aria-disabled={isPending || !isReady || undefined}
          aria-describedby={lacks === undefined ? undefined : lacksId}
        >
          {isPending ? doing : action}
        </button>
        {lacks !== undefined && (
          <span id={lacksId} className="quiet">
            {lacks}
          </span>
        )}
        {beside}
      </div>
    </form>
  );
}

/** After a refusal the keyboard goes on where something is to be mended. */
function useFirstProblem(form: React.RefObject<HTMLFormElement | null>, isPending: boolean) {
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !isPending) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    wasPending.current = isPending;
  }, [form, isPending]);
}

interface ActButtonProps {
  readonly onAct: () => void;
  readonly isPending: boolean;
  readonly isSmall?: boolean;
  /** Said instead of what is on it, where that is not enough by itself. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A button that does something at once. While it is done, it does nothing, and keeps the keyboard. */
export function ActButton({ onAct, isPending, isSmall = false, label, children }: ActButtonProps) {
  return (
    <button
      type="button"
      className={isSmall ? 'small' : 'secondary'}
      aria-label={label}
      aria-disabled={isPending || undefined}
      onClick={() => {
        if (!isPending) onAct();
      }}
    >
      {children}
    </button>
  );
}

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
