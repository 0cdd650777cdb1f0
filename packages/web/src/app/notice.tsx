// Messages at the foot of the page, some with an undo.
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { SmallButton } from '../ui/button.tsx';
import { problemOf } from './problem.ts';

interface Notice {
  readonly text: ReactNode;
  readonly isFailure?: boolean;
  readonly undo?: { readonly label: string; readonly run: () => Promise<unknown>; readonly otherwise?: ReactNode };
}

type Say = (notice: Notice) => void;
const NoticeContext = createContext<Say>(() => undefined);

export const useNotice = (): Say => useContext(NoticeContext);

export function useFollowUp() {
  const queries = useQueryClient();
  const invalidate = (...keys: readonly QueryKey[]) =>
    Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return { queries, invalidate, navigate: useNavigate(), say: useNotice() };
}

const SHOWN_MS = 20_000;

/** A notice closes on navigation or after a while; failures and undos stay. */
export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice>();
  const hasGoneOn = useGoneOn(notice);
  const say: Say = setNotice;
  const close = useCallback(() => setNotice(undefined), []);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open when the path is another.
  useEffect(() => {
    if (hasGoneOn.current) setNotice((shown) => (shown !== undefined && isLasting(shown) ? shown : undefined));
  }, [path]);
  return (
    <NoticeContext value={say}>
      {children}
      <section className="notices" aria-label="Notices" role="status">
        {notice !== undefined && <NoticeBox notice={notice} onClose={close} say={say} />}
      </section>
    </NoticeContext>
  );
}

const isLasting = ({ undo, isFailure = false }: Notice): boolean => undo !== undefined || isFailure;
/** Returns true after any user input: a navigation caused by the action itself keeps the notice. */
function useGoneOn(notice: Notice | undefined) {
  const hasGoneOn = useRef(false);
  useEffect(() => {
    hasGoneOn.current = false;
    if (notice === undefined) return;
    const goOn = () => {
      hasGoneOn.current = true;
    };
    for (const event of DONE_BY) window.addEventListener(event, goOn, { capture: true });
    return () => {
      for (const event of DONE_BY) window.removeEventListener(event, goOn, { capture: true });
    };
  }, [notice]);
  return hasGoneOn;
}

const DONE_BY = ['pointerdown', 'keydown', 'popstate'] as const;

interface NoticeBoxProps {
  readonly notice: Notice;
  readonly onClose: () => void;
  readonly say: Say;
}

function useLeaving({ notice, onClose }: NoticeBoxProps) {
  const [isPointedAt, setIsPointedAt] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const isHeld = isPointedAt || hasFocus;
  useEffect(() => {
    if (isHeld || isLasting(notice)) return;
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

function NoticeBox(props: NoticeBoxProps) {
  const { notice, onClose, say } = props;
  const { text, undo, isFailure = false } = notice;
  const leaving = useLeaving(props);
  const [isUndoing, setIsUndoing] = useState(false);
  const takeBack = async () => {
    setIsUndoing(true);
    try {
      await undo?.run();
    } catch (error) {
      const text = (
        <>
          This could not be undone. {problemOf(error).advice} {undo?.otherwise}
        </>
      );
      say({ text, isFailure: true });
    } finally {
      setIsUndoing(false);
    }
  };
  return (
    <div className={isFailure ? 'notice failed' : 'notice'} {...leaving}>
      <p role={isFailure ? 'alert' : undefined}>{text}</p>
      {undo !== undefined && (
        <SmallButton disabled={isUndoing} onClick={() => void takeBack()}>
          {undo.label}
        </SmallButton>
      )}
      <SmallButton onClick={onClose}>Close</SmallButton>
    </div>
  );
}
