import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { toCommit, toNamed, toNewRecord, toNewShape, toRecords, toRepository } from '../../app/links.ts';
import { permission, useStranded } from '../../app/may.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { isMissing, problemOf } from '../../app/problem.ts';
import { repository, repositoryKey } from '../../app/queries.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { TextField } from '../../ui/field.tsx';
import { Failure } from '../../ui/page.tsx';
import { CommitCalls } from '../commit/calls.tsx';
import { textNamed } from '../repository/repository-text.ts';
import { type Change, changeKey, inOrder, messageOf } from './change.ts';
import { type Committed, commitDraft, draftCheck, landingOf, takeBack, writtenOf } from './draft.ts';
import { DraftChange } from './draft-change.tsx';
import { type Draft as Changes, useDraft } from './kept-draft.ts';
import { Discard, StrandedDraft, WhereKept } from './stranded-draft.tsx';
import { Writable } from './writable.tsx';

export function Draft() {
  const sight = useSight();
  const draft = useDraft(sight);
  const isStranded = useStranded(sight);
  useAskAgain(sight, isStranded && draft.changes.length > 0);
  return (
    <>
      <Writable sight={sight} title="Your changes">
        {draft.changes.length === 0 ? <Nothing sight={sight} /> : <Review sight={sight} draft={draft} />}
      </Writable>
      {isStranded && (
        <StrandedDraft draft={draft}>You can commit them here once you have write access again.</StrandedDraft>
      )}
    </>
  );
}

const Nothing = ({ sight }: { sight: Sight }) => (
  <p>
    Your draft is empty. <Link {...toNewRecord(sight)}>Add a record</Link>, or open an{' '}
    <Link {...toRecords(sight)}>existing record</Link> to change it.
  </p>
);

function Review({ sight, draft }: { sight: Sight; draft: Changes }) {
  const { changes } = draft;
  const check = useQuery(draftCheck(sight, changes));
  const [message, setMessage] = useState('');
  const commit = useCommit(sight, draft);
  const askAnew = useAskAnew(sight);
  const isGone = isMissing(check.error);
  useEffect(() => {
    if (isGone) void askAnew();
  }, [isGone, askAnew]);
  const ordered = inOrder(changes);
  const results = new Map(check.data?.operations.map((result) => [result.opIndex, result]));
  const isRefused = [...results.values()].some(({ status }) => status === 'error');
  return (
    <>
      <p>
        These changes are not written yet. They become one commit, applied as a whole.{' '}
        <Link {...toNewRecord(sight)}>Add {adds(changes, 'record') ? 'another' : 'a'} record</Link>, or{' '}
        <Link {...toNewShape(sight)}>{adds(changes, 'shape') ? 'another' : 'a'} shape</Link>.
      </p>
      <WhereKept draft={draft} />
      <ol className="draft-changes">
        {ordered.map((change, index) => (
          <DraftChange
            key={changeKey(change)}
            sight={sight}
            change={change}
            draft={draft}
            result={results.get(index)}
          />
        ))}
      </ol>
      <Failure error={check.error} />
      <div className="draft-end">
        <ActionForm
          label="Commit"
          action={changes.length === 1 ? 'Commit' : `Commit ${changes.length} changes`}
          doing="Committing…"
          isPending={commit.isPending}
          isReady={!isRefused}
          problem={commit.error === null ? undefined : problemOf(commit.error).advice}
          onSubmit={() => commit.mutate(message)}
        >
          <TextField
            label="Message"
            hint="Explain why you made these changes."
            placeholder={messageOf(changes)}
            value={message}
            onChange={setMessage}
          />
          {isRefused && <p>Fix or discard the changes with errors first.</p>}
        </ActionForm>
        <Discard draft={draft} />
      </div>
      <CommitCalls written={writtenOf(changes, message)} />
    </>
  );
}

const adds = (changes: readonly Change[], what: 'record' | 'shape'): boolean =>
  changes.some((change) => change.step === 'add' && (change.kind === 'shape') === (what === 'shape'));

function useCommit(sight: Sight, { changes, clear }: Changes) {
  const { queries, invalidate, navigate } = useFollowUp();
  const say = useSayCommitted(sight);
  const askAnew = useAskAnew(sight);
  return useMutation({
    mutationFn: (message: string) => commitDraft(sight, changes, message),
    onSuccess: async (committed) => {
      clear();
      say(committed);
      // Stale pages are not shown again. Waiting for the refetch could undo a later navigation.
      queries.removeQueries({ queryKey: repositoryKey(sight), type: 'inactive' });
      void invalidate(repositoryKey(sight));
      const only = landingOf(changes);
      if (only === undefined) await navigate(toCommit(sight, committed.repoSeq));
      else await navigate(textNamed(only) === undefined ? toNamed(sight, only) : toRepository(sight));
    },
    // A conflict shows in the changes; access may have been lost too.
    onError: askAnew,
  });
}

function useSayCommitted(sight: Sight) {
  const { invalidate, say } = useFollowUp();
  return (committed: Committed) => {
    const { repoSeq } = committed;
    const page = (words: string) => <Link {...toCommit(sight, repoSeq)}>{words}</Link>;
    say({
      text: <>{page(`Committed as ${repoSeq}`)}.</>,
      undo: {
        label: `Revert commit ${repoSeq}`,
        run: async () => {
          const next = await takeBack(sight, committed);
          await invalidate(repositoryKey(sight));
          say({ text: `Commit ${next} reverted commit ${repoSeq}. The history keeps both.` });
        },
        otherwise: <>You can still revert it on {page(`the page of commit ${repoSeq}`)}, which keeps later changes.</>,
      },
    });
  };
}

function useAskAnew({ orgName, repoName }: Sight): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const sight = { orgName, repoName };
    const { queryKey } = repository(sight);
    await Promise.all([
      queries.invalidateQueries({ queryKey: repositoryKey(sight) }),
      queries.invalidateQueries({ queryKey: permission(sight, 'repo:write').queryKey }),
    ]);
    // Otherwise stale data would stay visible.
    if (isMissing(queries.getQueryState(queryKey)?.error)) await queries.resetQueries({ queryKey });
  }, [queries, orgName, repoName]);
}

const ASKED_EVERY_MS = 10_000;

function useAskAgain(sight: Sight, isStranded: boolean): void {
  const again = isStranded ? ({ refetchInterval: ASKED_EVERY_MS, refetchOnWindowFocus: 'always' } as const) : {};
  useQuery({ ...permission(sight, 'repo:write'), ...again });
  useQuery({ ...repository(sight), ...again });
}
