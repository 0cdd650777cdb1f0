// All that is begun in this tab: drafts, and forms that were typed into.
import { useSyncExternalStore } from 'react';
import { draftOrigins, drafts } from '../features/change/kept-draft.ts';
import type { Move } from './kept.ts';
import { tabStore } from './tab-store.ts';

/** Under the old name nobody would find it again. */
export const moveBegun = (move: Move) => STORES.forEach((store) => void store.move(move));

/** Whether anything is. */
export function useHasBegun(): boolean {
  const drafted = useSyncExternalStore(drafts.subscribe, drafts.state);
  const typed = useSyncExternalStore(begunForms.subscribe, begunForms.state);
  return drafted.entries.size > 0 || typed.entries.size > 0;
}

type Pressed = Pick<MouseEvent, 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** By a link in this tab, to come back to what is kept in it. */
export const leaveBegun = ({ ctrlKey, metaKey, shiftKey }: Pressed) =>
  setLeaving(!(ctrlKey || metaKey || shiftKey) && STORES.every((store) => store.state().isKept));

// Forms that were typed into and not taken up into the draft yet, each by its address. They hold what goes into records, which
// is for others to read: never a secret.

export const begunForms = tabStore<unknown>('cairn-forms');

const STORES = [drafts, draftOrigins, begunForms];

export const openBegun = (handle: string) => STORES.forEach((store) => void store.open(handle));

// Who would leave the page is asked, since what is begun may be lost; not who leaves to sign in, and comes back to it.

let isForAWhile = false;

// The browser may have kept the page as it was.
globalThis.addEventListener?.('pageshow', () => setLeaving(false));

const setLeaving = (isSo: boolean) => {
  isForAWhile = isSo;
};

export const isLeaving = (): boolean => isForAWhile;
