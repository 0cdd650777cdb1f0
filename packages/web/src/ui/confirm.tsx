import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { problemOf } from '../app/problem.ts';
import { SecondaryButton, SmallButton } from './button.tsx';
import { TextField } from './field.tsx';
import { Alert } from './text.tsx';

interface ConfirmProps {
  readonly action: string;
  /** Distinguishes buttons with the same text, and must begin with that text. */
  readonly label?: string;
  readonly title: string;
  readonly children: ReactNode;
  readonly onConfirm: () => Promise<unknown>;
  readonly typed?: string;
  readonly isSmall?: boolean;
  readonly onDone?: () => void;
}

export function Confirm({ action, label, title, children, onConfirm, typed, isSmall = false, onDone }: ConfirmProps) {
  const [isAsked, setIsAsked] = useState(false);
  const Opener = isSmall ? SmallButton : SecondaryButton;
  return (
    <>
      <Opener aria-label={label} onClick={() => setIsAsked(true)}>
        {action}
      </Opener>
      {isAsked && (
        <Question {...{ title, action, typed, onConfirm, onDone }} onClose={() => setIsAsked(false)}>
          {children}
        </Question>
      )}
    </>
  );
}

interface QuestionProps extends Pick<ConfirmProps, 'title' | 'action' | 'children' | 'onConfirm'> {
  readonly typed?: string | undefined;
  readonly onDone?: (() => void) | undefined;
  readonly onClose: () => void;
}

/** Rendered at the end of the page, since forms and paragraphs cannot hold a dialog. */
export function Question({ title, action, typed, children, onConfirm, onDone, onClose }: QuestionProps) {
  // The action may remove the dialog from the page before it has succeeded.
  const ended = useRef({ isDone: false, isGone: false });
  const dialog = useModal(() => {
    ended.current.isGone = true;
    if (ended.current.isDone) onDone?.();
  });
  const id = useId();
  const [isDoing, setIsDoing] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [word, setWord] = useState('');
  const confirm = async () => {
    setIsDoing(true);
    setProblem(undefined);
    try {
      await onConfirm();
      ended.current.isDone = true;
      if (ended.current.isGone) onDone?.();
      onClose();
    } catch (error) {
      setProblem(problemOf(error).advice);
      setIsDoing(false);
    }
  };
  return createPortal(
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          // React bubbles the event to an enclosing form.
          event.stopPropagation();
          void confirm();
        }}
      >
        <h2 id={id}>{title}</h2>
        {children}
        {typed !== undefined && <TextField label={`Type ${typed} to confirm`} value={word} onChange={setWord} />}
        {problem !== undefined && <Alert>{problem}</Alert>}
        <div className="actions">
          <button type="submit" disabled={isDoing || (typed !== undefined && word !== typed)}>
            {action}
          </button>
          <SecondaryButton onClick={onClose}>Cancel</SecondaryButton>
        </div>
      </form>
    </dialog>,
    document.body,
  );
}

function useModal(onGone: () => unknown) {
  const dialog = useRef<HTMLDialogElement>(null);
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(() => {
    const shown = dialog.current;
    if (shown !== null && !shown.open) shown.showModal();
    return () => {
      shown?.close();
      gone.current();
    };
  }, []);
  return dialog;
}
