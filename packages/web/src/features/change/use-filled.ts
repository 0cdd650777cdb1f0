import { useBlocker } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { begunForms } from '../../app/begun-form.ts';
import { isLeaving } from '../../app/leaving.ts';
import { useNotice } from '../../app/notice.tsx';
import type { Sight } from '../../app/sight.ts';

const LEAVING = 'What you filled in here is not kept yet, and is lost when you leave this page. Leave it?';
const NO_ROOM = 'The browser has no room to keep what you fill in here: loading the page anew loses it.';

interface FormOf {
  readonly sight: Sight;
  /** Which form of the repository it is. */
  readonly form: string;
}

export interface Form<Filled> {
  readonly filled: Filled;
  readonly fill: (part: Partial<Filled>) => void;
  /** Whether it began with what had been typed before. */
  readonly isBack: boolean;
  /** What it is when nothing is typed. */
  readonly first: Filled;
  /** Anew, with what is given. */
  readonly begin: (first: Filled) => void;
  /** Counts how often it was begun anew: what controls keep of their own is for one time. */
  readonly round: number;
  /** For what has the first control, which the keyboard goes on with when it is begun anew. */
  readonly box: RefObject<HTMLDivElement | null>;
  /** Once it is in the draft. */
  readonly done: () => void;
}

/**
 * What is filled into a form. Until it is in the draft it is kept in the tab, and there again when the page is loaded anew; who
 * would leave it is asked. What goes on to the draft passes by with `ignoreBlocker`.
 */
export function useFilled<Filled extends object>({ sight, form }: FormOf, atFirst: () => Filled): Form<Filled> {
  const name = `${sight.orgName}/${sight.repoName} ${form}`;
  const [{ first, before, round }, setBegun] = useState(() => ({
    first: atFirst(),
    before: begunForms.state().entries.get(name) as Filled | undefined,
    round: 0,
  }));
  const [filled, setFilled] = useState(before ?? first);
  const isBegun = filled !== first;
  useEffect(() => {
    if (isBegun) begunForms.set(name, filled);
  }, [name, filled, isBegun]);
  useSayUnkept(isBegun);
  const done = () => begunForms.set(name, undefined);
  useBlocker({
    disabled: !isBegun,
    enableBeforeUnload: () => isBegun && !isLeaving(),
    shouldBlockFn: ({ current, next }) => {
      if (current.pathname === next.pathname) return false;
      if (!window.confirm(LEAVING)) return true;
      done();
      return false;
    },
  });
  const box = useFirstControl(round);
  const begin = (anew: Filled) => {
    done();
    setBegun({ first: anew, before: undefined, round: round + 1 });
    setFilled(anew);
  };
  const fill = (part: Partial<Filled>) => setFilled((now) => ({ ...now, ...part }));
  return { filled, fill, isBack: before !== undefined, first, begin, round, box, done };
}

/** Once: who would load the page anew is asked besides. */
function useSayUnkept(isBegun: boolean) {
  const say = useNotice();
  const isKept = useSyncExternalStore(begunForms.subscribe, () => begunForms.state().isKept);
  useEffect(() => {
    if (isBegun && !isKept) say({ text: NO_ROOM });
  }, [isBegun, isKept, say]);
}

function useFirstControl(round: number) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (round > 0) box.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, [round]);
  return box;
}
