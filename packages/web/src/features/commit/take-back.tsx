import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useWritable } from '../../app/may.ts';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import type { Sight } from '../../app/sight.ts';
import { Question } from '../../ui/confirm.tsx';
import { Text } from '../../ui/text.tsx';
import { amountOf } from '../change/change.ts';
import { useDraft } from '../change/kept-draft.ts';
import { type Get, type TakingBack, takingBackOf } from './taking-back.ts';
import { client } from '../../app/session.ts';
import { orNothing } from '../records/whereabouts.ts';

interface TakeBackProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  readonly operationCount: number;
}

/** Makes a draft of what takes the commit back: it is looked at before it is committed, and history keeps both. */
export function TakeBack({ sight, repoSeq, operationCount }: TakeBackProps) {
  const isWritable = useWritable(sight);
  const { changes, put } = useDraft(sight);
  const [isAsked, setIsAsked] = useState(false);
  const navigate = useNavigate();
  const say = useNotice();
  const draft = useMutation({
    mutationFn: () => findTakingBack(sight, repoSeq),
    onSuccess: async (found) => {
      put(...found.changes);
      const left = leftOut(found, repoSeq);
      if (left !== undefined) say({ text: <Text most={400}>{left}</Text> });
      if (found.changes.length > 0) await navigate({ to: '/$orgName/$repoName/draft', params: sight });
    },
  });
  if (!isWritable || operationCount > TAKEN_BACK_MOST) return null;
  return (
    <>
      <button
        type="button"
        className="secondary"
        disabled={draft.isPending}
        onClick={() => (changes.length === 0 ? draft.mutate() : setIsAsked(true))}
      >
        {draft.isPending ? 'Finding out what was before…' : 'Take this commit back…'}
      </button>
      {isAsked && (
        <Question
          title="Put it into your draft?"
          action="Put it into my draft"
          onConfirm={() => draft.mutateAsync()}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {amountOf(changes)} in your draft already. What takes commit {repoSeq} back comes beside that, and becomes
            one commit with it. What you drafted of the same records gives way.
          </p>
        </Question>
      )}
      {draft.error !== null && !isAsked && (
        <p className="problem" role="alert">
          {problemOf(draft.error).advice}
        </p>
      )}
    </>
  );
}

/** What of the commit cannot be taken back, or need not be. */
function leftOut({ changes, gone }: TakingBack, repoSeq: number): string | undefined {
  if (gone.length > 0) return `Not to be found any more, and left out: ${gone.join(', ')}.`;
  return changes.length > 0 ? undefined : `Nothing is left of commit ${repoSeq} to take back.`;
}

// What the server is asked to find out how a commit of some time ago is taken back.

/** A larger one is no work for a page. */
const TAKEN_BACK_MOST = 200;

async function findTakingBack({ orgName, repoName }: Sight, repoSeq: number): Promise<TakingBack> {
  const { operations } = await client.commit.get(orgName, repoName, repoSeq);
  const get: Get = (wref, atRepoSeq) =>
    orNothing(
      client.thing.get(orgName, repoName, wref, {
        includeRetracted: true,
        ...(atRepoSeq !== undefined && { atRepoSeq }),
      }),
    );
  return takingBackOf(get, repoSeq, operations);
}
