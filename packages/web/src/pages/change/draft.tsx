import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Draft as Changes, useDraft } from '../../app/draft.ts';
import { useNotice } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { type Change, inOrder, isNamed, keyOf } from '../../data/change.ts';
import { type Committed, commitDraft, draftCheck, messageOf, takeBack } from '../../data/draft.ts';
import { repositoryKey } from '../../data/queries.ts';
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
    <Writable sight={sight} title="Your changes">
      {draft.changes.length === 0 ? <Nothing sight={sight} /> : <Review sight={sight} draft={draft} />}
    </Writable>
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
  const { changes, clear } = draft;
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
      </p>
      <p className="quiet">
        Until then your changes are kept in this tab only: loading the page anew, or closing the tab, loses them.
      </p>
      <ol className="draft-changes">
        {ordered.map((change, index) => (
          <DraftChange
            key={keyOf(change)}
            sight={sight}
            change={change}
            draft={draft}
            refusal={results.get(index)?.error}
          />
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
        <Confirm action="Discard all" title="Discard your changes?" onConfirm={async () => clear()}>
          <p>None of them was committed. They are gone then.</p>
        </Confirm>
      </div>
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
      const only = changes.length === 1 ? seenAs(changes[0]) : undefined;
      if (only?.startsWith('Content/')) {
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

/** The name that a record has afterwards; not known of what the server names. */
function seenAs(change: Change | undefined): string | undefined {
  if (change === undefined || !isNamed(change)) return undefined;
  return change.step === 'rename' ? change.newName : change.name;
}

function useSayCommitted(sight: Sight) {
  const queries = useQueryClient();
  const say = useNotice();
  return (committed: Committed) => {
    const { repoSeq, changes } = committed;
    const isRetract = changes.every(({ step }) => step === 'retract');
    say({
      text: `Committed as ${repoSeq}.`,
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
