// All that is begun in this tab: drafts, and forms that were typed into.
import { begunForms } from './begun-form.ts';
import { draftOrigins, drafts } from './draft.ts';
import type { Move } from './kept.ts';
import { setLeaving } from './leaving.ts';

const STORES = [drafts, draftOrigins, begunForms];

export const openBegun = (handle: string) => STORES.forEach((store) => void store.open(handle));

/** Under the old name nobody would find it again. */
export const moveBegun = (move: Move) => STORES.forEach((store) => void store.move(move));

type Pressed = Pick<MouseEvent, 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** By a link in this tab, to come back to what is kept in it. */
export const leaveBegun = ({ ctrlKey, metaKey, shiftKey }: Pressed) =>
  setLeaving(!(ctrlKey || metaKey || shiftKey) && STORES.every((store) => store.state().isKept));
