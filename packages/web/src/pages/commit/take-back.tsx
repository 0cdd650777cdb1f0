import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDraft } from '../../app/draft.ts';
import { useWritable } from '../../app/may.ts';
import { problemOf } from '../../app/problem.ts';
import type { Sight } from '../../app/sight.ts';
import { changesToTakeBack, TAKEN_BACK_MOST } from '../../data/take-back.ts';

interface TakeBackProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  readonly operationCount: number;
}

/** Makes a draft of what takes the commit back: it is looked at before it is committed, and history keeps both. */
export function TakeBack({ sight, repoSeq, operationCount }: TakeBackProps) {
  const isWritable = useWritable(sight);
  const { put } = useDraft(sight);
  const navigate = useNavigate();
  const draft = useMutation({
    mutationFn: () => changesToTakeBack(sight, repoSeq),
    onSuccess: async (changes) => {
      for (const change of changes) put(change);
      await navigate({ to: '/$orgName/$repoName/draft', params: sight });
    },
  });
  if (!isWritable || operationCount > TAKEN_BACK_MOST) return null;
  return (
    <>
      <button type="button" className="secondary" disabled={draft.isPending} onClick={() => draft.mutate()}>
        {draft.isPending ? 'Finding out what was before…' : 'Take this commit back…'}
      </button>
      {draft.error !== null && (
        <p className="problem" role="alert">
          {problemOf(draft.error).advice}
        </p>
      )}
    </>
  );
}
