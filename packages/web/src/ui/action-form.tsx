import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { OFFLINE, useOnline } from '../app/problem.ts';
import { problemsOf } from './problems.ts';
import { Alert, Text } from './text.tsx';

interface ActionFormProps {
  readonly label: string;
  readonly onSubmit: () => void;
  readonly action: string;
  readonly doing: string;
  readonly isPending: boolean;
  readonly problem?: string | undefined;
  readonly isReady?: boolean;
  /** Shown next to the button, since the field may be out of view. */
  readonly lacks?: string | undefined;
  readonly children: ReactNode;
  readonly beside?: ReactNode;
}

/** The first invalid field gets the focus after a refusal. */
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
        <Alert>
          <Text most={2_000}>{problem}</Text>
        </Alert>
      )}
      {isPending && !isOnline && (
        <p className="hint" role="status">
          {OFFLINE}
        </p>
      )}
      <div className="actions">
        {/* Not `disabled`: the button would lose the focus, and the browser could not name the empty field. */}
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

function useFirstProblem(form: React.RefObject<HTMLFormElement | null>, isPending: boolean) {
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !isPending) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    wasPending.current = isPending;
  }, [form, isPending]);
}

interface FormOptions<Values, Result> {
  readonly run: (values: Values) => Promise<Result>;
  readonly done: (result: Result, values: Values) => unknown;
  /** Pointers of the controls, if these are not the names of the values. */
  readonly fields?: (values: Values) => readonly string[];
  readonly taken?: string;
  readonly unknown?: string;
}

export type FormState<Values extends object> = ReturnType<typeof useForm<Values, never>>;

/** Values of a form, with the props of the form and of each control. Drops the answer, which may be a secret. */
export function useForm<Values extends object, Result>(initial: Values, options: FormOptions<Values, Result>) {
  const { run, done, taken, unknown } = options;
  const [values, setValues] = useState(initial);
  const set = (changed: Partial<Values>) => setValues((now) => ({ ...now, ...changed }));
  const { mutate, reset, isPending, error } = useMutation({ mutationFn: run, onSuccess: done, gcTime: 0 });
  const places = options.fields?.(values) ?? Object.keys(values).map((name) => `/${name}`);
  const { byPath, whole } = problemsOf(error, places, { ALREADY_EXISTS: taken, NOT_FOUND: unknown });
  const problemAt = (path: string): string | undefined => byPath.get(path);
  return {
    values,
    set,
    problemAt,
    field: <Name extends keyof Values & string>(name: Name) => ({
      value: values[name],
      onChange: (value: Values[Name]) => set({ [name]: value } as unknown as Partial<Values>),
      problem: problemAt(`/${name}`),
    }),
    form: { onSubmit: () => mutate(values, { onSuccess: () => reset() }), isPending, problem: whole },
  };
}
