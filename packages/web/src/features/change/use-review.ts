import type { RecordItem } from '@cairn/sdk';
import { useNavigate } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import type { Change } from './change.ts';
import { useDraft } from './kept-draft.ts';
import { useStage } from './use-stage.ts';

/** What a form of a record that is there is for. */
export interface OfRecord {
  readonly sight: Sight;
  readonly head: RecordItem;
}

/** Staged, and on to the draft. */
export function useReview(sight: Sight) {
  const stage = useStage(sight);
  const navigate = useNavigate();
  const review = (change: Change, done?: () => void) =>
    stage.mutate(change, {
      onSuccess: () => {
        done?.();
        void navigate({ to: '/$orgName/$repoName/draft', params: sight, ignoreBlocker: true });
      },
    });
  return { review, isPending: stage.isPending, error: stage.error };
}

/** What is in the draft already is gone on with. */
export function useKept<Step extends Change['step']>({ sight, head }: OfRecord, step: Step) {
  const { changes } = useDraft(sight);
  return changes.find(
    (change): change is Extract<Change, { step: Step }> => change.step === step && change.name === head.name,
  );
}
