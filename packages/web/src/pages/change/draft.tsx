import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Draft as Changes, useDraft } from '../../app/draft.ts';
import { useMay } from '../../app/may.ts';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { amountOf, keyOf } from '../../data/change.ts';
import { inOrder } from '../../data/change-order.ts';
import { type Committed, commitDraft, draftCheck, takeBack, writtenOf } from '../../data/draft.ts';
import { landingOf } from '../../data/landing.ts';
import { messageOf } from '../../data/message.ts';
import { repository, repositoryKey } from '../../data/queries.ts';
import { textNamed } from '../../data/repository-text.ts';
import { CommitCalls } from '../../parts/calls.tsx';
import { focusContent } from '../../parts/focus-content.ts';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { useTitle } from '../../parts/title.ts';
import { DraftChange } from './draft-change.tsx';
import { Writable } from './writable.tsx';
import '../../look/change.css';

/** What is to be changed, before it is: each change with its difference, and one commit for all. */
export function Draft() {
  const sight = useSight();
  const draft = useDraft(sight);
  useTitle('Your changes', `${sight.orgName}/${sight.repoName}`);
  return (
    <>
      <Writable sight={sight} title="Your changes">
        {draft.changes.length === 0 ? <Nothing sight={sight} /> : <Review sight={sight} draft={draft} />}
      </Writable>
      {draft.changes.length > 0 && <Stranded sight={sight} draft={draft} />}
    </>
  );
}

/** Who may not write any more cannot commit them, but must be able to let go of them. */
function Stranded({ sight, draft }: { sight: Sight; draft: Changes }) {
  const may = useMay(sight, 'repo:write');
  const { data } = useQuery(repository(sight));
  if (may !== false && data?.archived !== true) return null;
  return (
    <>
      <p>{amountOf(draft.changes)} not committed yet, and cannot be now.</p>
      <Discard draft={draft} />
    </>
  );
}

function Discard({ draft: { clear } }: { draft: Changes }) {
  return (
    <Confirm action="Discard all" title="Discard your changes?" onConfirm={async () => clear()} onDone={focusContent}>
      <p>None of them was committed. They are gone then.</p>
    </Confirm>
  );
}

function Nothing({ sight: { orgName, repoName } }: { sight: Sight }) {
  const params = { orgName, repoName };
  return (
    <p>
      There is nothing to commit.{' '}
      <Link to="/$orgName/$repoName/new" params={params}>
        Add a record
      </Link>
      , or open{' '}
      <Link to="/$orgName/$repoName/records" params={params}>
        one that is there
      </Link>{' '}
      to change it.
    </p>
  );
}

function Review({ sight, draft }: { sight: Sight; draft: Changes }) {
  const { changes } = draft;
  const check = useQuery(draftCheck(sight, changes));
  const [message, setMessage] = useState('');
  const commit = useCommit(sight, draft);
  const ordered = inOrder(changes);
  const results = new Map(check.data?.operations.map((result) => [result.opIndex, result]));
  const isRefused = [...results.values()].some(({ status }) => status === 'error');
  const { orgName, repoName } = sight;
  return (
    <>
      <p>
        Nothing of this is written yet. It becomes one commit: all of it, or nothing.{' '}
        <Link to="/$orgName/$repoName/new" params={{ orgName, repoName }}>
          Add another record
        </Link>
        , or{' '}
        <Link to="/$orgName/$repoName/new-shape" params={{ orgName, repoName }}>
          another shape
        </Link>
        .
      </p>
      <p className="quiet">
        {draft.isKept
          ? 'Until then your changes are kept in this tab only, also when the page is loaded anew. Closing the tab, or signing out in it, loses them.'
          : 'Until then your changes are on this page only, since the browser has no room to keep them: loading it anew, or closing the tab, loses them.'}
      </p>
      <ol className="draft-changes">
        {ordered.map((change, index) => (
          <DraftChange key={keyOf(change)} sight={sight} change={change} draft={draft} result={results.get(index)} />
        ))}
      </ol>
      {check.error !== null && (
        <p className="problem" role="alert">
          {problemOf(check.error).advice}
        </p>
      )}
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
            hint="Why, for those who read the log."
            placeholder={messageOf(changes)}
            value={message}
            onChange={setMessage}
          />
          {isRefused && <p>Mend or drop what is marked above first.</p>}
        </ActionForm>
        <Discard draft={draft} />
      </div>
      <CommitCalls written={writtenOf(changes, message)} />
    </>
  );
}

/** Then on to what came of it, with a way back. */
function useCommit(sight: Sight, { changes, clear }: Changes) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useSayCommitted(sight);
  const { orgName, repoName } = sight;
  return useMutation({
    mutationFn: (message: string) => commitDraft(sight, changes, message),
    onSuccess: async (committed) => {
      clear();
      say(committed);
      await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
      const only = landingOf(changes);
      if (only !== undefined && textNamed(only) !== undefined) {
        await navigate({ to: '/$orgName/$repoName', params: { orgName, repoName } });
      } else if (only === undefined) {
        await navigate({
          to: '/$orgName/$repoName/commits/$repoSeq',
          params: { orgName, repoName, repoSeq: String(committed.repoSeq) },
        });
      } else if (only.includes('/')) {
        await navigate({ to: '/$orgName/$repoName/record/$', params: { orgName, repoName, _splat: only } });
      } else {
        await navigate({ to: '/$orgName/$repoName/shapes/$shapeName', params: { orgName, repoName, shapeName: only } });
      }
    },
    // Somebody may have been faster: then the changes say so.
    onError: () => queries.invalidateQueries({ queryKey: repositoryKey(sight) }),
  });
}

function useSayCommitted(sight: Sight) {
  const queries = useQueryClient();
  const say = useNotice();
  const { orgName, repoName } = sight;
  return (committed: Committed) => {
    const { repoSeq, changes } = committed;
    const isRetract = changes.every(({ step }) => step === 'retract');
    say({
      text: (
        <>
          <Link to="/$orgName/$repoName/commits/$repoSeq" params={{ orgName, repoName, repoSeq: String(repoSeq) }}>
            Committed as {repoSeq}
          </Link>
          .
        </>
      ),
      undo: {
        label: isRetract ? 'Bring it back' : `Take back commit ${repoSeq}`,
        run: async () => {
          const next = await takeBack(sight, committed);
          await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
          say({ text: `Commit ${repoSeq} was taken back by commit ${next}. History keeps both.` });
        },
      },
    });
  };
}
