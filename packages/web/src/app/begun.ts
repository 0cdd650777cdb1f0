// All that is begun in this tab: drafts, and forms that were typed into.
import { useSyncExternalStore } from 'react';
import { draftOrigins, drafts } from '../features/change/kept-draft.ts';
import { begunForms } from './begun-form.ts';
import type { Move } from './kept.ts';
import { setLeaving } from './leaving.ts';

const STORES = [drafts, draftOrigins, begunForms];

export const openBegun = (handle: string) => STORES.forEach((store) => void store.open(handle));

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
