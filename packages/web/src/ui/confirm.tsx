import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { problemOf } from '../app/problem.ts';
import { TextField } from './field.tsx';

interface ConfirmProps {
  /** On the button that asks. */
  readonly action: string;
  /** What the button is called where several are alike; it begins with what is on it. */
  readonly label?: string;
  readonly title: string;
  /** What will be so afterwards, and whether it can be undone. */
  readonly children: ReactNode;
  readonly onConfirm: () => Promise<unknown>;
  /** Must be typed first, where what is done cannot be undone. */
  readonly typed?: string;
  readonly isSmall?: boolean;
  /** Once the question is gone, and the focus with it: for what the keyboard goes on with, where the button is gone too. */
  readonly onDone?: () => void;
}

/** A button for what is not done by one press: it says what will happen, and asks once more. */
export function Confirm({ action, label, title, children, onConfirm, typed, isSmall = false, onDone }: ConfirmProps) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <button
        type="button"
        className={isSmall ? 'small' : 'secondary'}
        aria-label={label}
        onClick={() => setIsAsked(true)}
      >
        {action}
      </button>
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

/**
 * The question by itself, for who asks it after something else than a press of its own button. It stands at the end of the page:
 * where it is asked from may be a form or a paragraph, in which it may not be.
 */
export function Question({ title, action, typed, children, onConfirm, onDone, onClose }: QuestionProps) {
  // What is done may take the question away before it is known to be done.
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
          // It may be asked from within another form, which is not meant, and which React tells of it all the same.
          event.stopPropagation();
          void confirm();
        }}
      >
        <h2 id={id}>{title}</h2>
        {children}
        {typed !== undefined && <TextField label={`Type ${typed} to go on`} value={word} onChange={setWord} />}
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="actions">
          <button type="submit" disabled={isDoing || (typed !== undefined && word !== typed)}>
            {action}
          </button>
          <button type="button" className="secondary" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>,
    document.body,
  );
}

/** The browser's own: it keeps the keyboard within, closes by Escape, and gives the focus back. */
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
