import type { Draft } from '../../app/draft.ts';
import { useNotice } from '../../app/notice.tsx';
import { amountOf, type Change, titleOf } from '../../data/change.ts';
import { focusContent } from '../../parts/focus-content.ts';
import { Text } from '../../parts/text.tsx';

/** Out of the draft, with a way back. */
export function useDropping({ changes, drop, restore }: Draft) {
  const say = useNotice();
  const take = (dropped: readonly Change[], text: string) => {
    drop(dropped);
    say({
      text: <Text most={400}>{text}</Text>,
      undo: {
        label: dropped.length === 1 ? 'Bring it back' : 'Bring them back',
        run: async () => {
          restore(dropped, changes);
          say({ text: `${amountOf(dropped)} in your draft again.` });
        },
      },
    });
  };
  return {
    dropOne: (change: Change) => {
      take([change], `Dropped: ${titleOf(change)}.`);
      // The button is gone.
      focusContent();
    },
    dropAll: () => take(changes, `Your draft was discarded: ${amountOf(changes)} dropped.`),
  };
}
