// What was done, said once at the foot of any page, with a way back where there is one.
import { useLocation } from '@tanstack/react-router';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { problemOf } from './problem.ts';

export interface Notice {
  readonly text: ReactNode;
  /** How to take it back. */
  readonly undo?: { readonly label: string; readonly run: () => Promise<unknown> };
}

type Say = (notice: Notice) => void;

const NoticeContext = createContext<Say>(() => undefined);

export const useNotice = (): Say => useContext(NoticeContext);

/** What is done often leads to another page, where it is said; the page after that has nothing to do with it. */
const PAGES = 2;
/** Long enough to be read twice. */
const SHOWN_MS = 20_000;

/**
 * Stays until it is closed, something else is said, one has gone on, or it was there for a while with nobody at it. What can
 * still be taken back stays until it is closed, or something else is said.
 */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice>();
  const pages = useRef(0);
  const say = useCallback<Say>((next) => {
    pages.current = PAGES;
    setNotice(next);
  }, []);
  const close = useCallback(() => setNotice(undefined), []);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open when the path is another.
  useEffect(() => {
    pages.current -= 1;
    if (pages.current <= 0) setNotice((shown) => (shown?.undo === undefined ? undefined : shown));
  }, [path]);
  return (
    <NoticeContext value={say}>
      {children}
      <section className="notices" aria-label="What was done" role="status">
        {notice !== undefined && <Shown notice={notice} onClose={close} say={say} />}
      </section>
    </NoticeContext>
  );
}

interface ShownProps {
  readonly notice: Notice;
  readonly onClose: () => void;
  readonly say: Say;
}

/** Gone after a while, unless somebody points at it or has the keyboard in it. */
function useLeaving({ notice, onClose }: ShownProps) {
  const [isPointedAt, setIsPointedAt] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const isHeld = isPointedAt || hasFocus;
  useEffect(() => {
    if (isHeld || notice.undo !== undefined) return;
    const timer = setTimeout(onClose, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, notice, onClose]);
  return {
    onPointerEnter: () => setIsPointedAt(true),
    onPointerLeave: () => setIsPointedAt(false),
    onFocus: () => setHasFocus(true),
    onBlur: () => setHasFocus(false),
  };
}

function Shown(props: ShownProps) {
  const { notice, onClose, say } = props;
  const { text, undo } = notice;
  const leaving = useLeaving(props);
  const [isUndoing, setIsUndoing] = useState(false);
  const takeBack = async () => {
    setIsUndoing(true);
    try {
      await undo?.run();
    } catch (error) {
      say({ text: `It could not be taken back. ${problemOf(error).advice}` });
    } finally {
      setIsUndoing(false);
    }
  };
  return (
    <div className="notice" {...leaving}>
      <p>{text}</p>
      {undo !== undefined && (
        <button type="button" className="small" disabled={isUndoing} onClick={() => void takeBack()}>
          {undo.label}
        </button>
      )}
      <button type="button" className="small" onClick={onClose}>
        Close
      </button>
    </div>
  );
}
