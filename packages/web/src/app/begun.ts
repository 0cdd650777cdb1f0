// Drafts and typed-in forms of this tab.
import { useSyncExternalStore } from 'react';
import { draftOrigins, drafts } from '../features/change/kept-draft.ts';
import type { Move } from './kept.ts';
import { tabStore } from './tab-store.ts';

export const moveBegun = (move: Move) => STORES.forEach((store) => void store.move(move));

export function useHasBegun(): boolean {
  const drafted = useSyncExternalStore(drafts.subscribe, drafts.state);
  const typed = useSyncExternalStore(begunForms.subscribe, begunForms.state);
  return drafted.entries.size > 0 || typed.entries.size > 0;
}

type Pressed = Pick<MouseEvent, 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** Called by a link that leaves this tab for a while, such as to sign in. */
export const leaveBegun = ({ ctrlKey, metaKey, shiftKey }: Pressed) =>
  setLeaving(!(ctrlKey || metaKey || shiftKey) && STORES.every((store) => store.state().isKept));

// Forms that are not in the draft yet, by their address. They hold record data, never a secret.

export const begunForms = tabStore<unknown>('cairn-forms');

const STORES = [drafts, draftOrigins, begunForms];

export const openBegun = (handle: string) => STORES.forEach((store) => void store.open(handle));

// Leaving the page asks for confirmation, except for a sign-in that comes back.

let isForAWhile = false;

// The browser may restore the page from its cache.
globalThis.addEventListener?.('pageshow', () => setLeaving(false));

const setLeaving = (isSo: boolean) => {
  isForAWhile = isSo;
};

export const isLeaving = (): boolean => isForAWhile;
