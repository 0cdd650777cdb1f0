import { useNotice } from '../../app/notice.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { Text } from '../../ui/text.tsx';
import { amountOf, type Change, restoredText, titleOf } from './change.ts';
import type { Draft } from './kept-draft.ts';

/** Out of the draft, with a way back. */
export function useDropping({ changes, drop, restore }: Draft) {
  const say = useNotice();
  const take = (dropped: readonly Change[], text: string) => {
    drop(dropped);
    say({
      text: <Text most={400}>{text}</Text>,
      undo: {
        label: dropped.length === 1 ? 'Put it back into the draft' : 'Put them back into the draft',
        run: async () => {
          const isBack = new Set(restore(dropped, changes));
          const taken = dropped.filter((one) => !isBack.has(one));
          say({ text: <Text most={400}>{restoredText([...isBack], taken)}</Text>, isFailure: isBack.size === 0 });
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
