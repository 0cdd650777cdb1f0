import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { toNewRecord, toNewShape, toRecords } from '../../app/links.ts';
import { useStranded } from '../../app/may.ts';
import { isMissing, problemOf } from '../../app/problem.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { TextField } from '../../ui/field.tsx';
import { Failure, useTitle } from '../../ui/page.tsx';
import { CommitCalls } from '../commit/calls.tsx';
import { type Change, changeKey, inOrder, messageOf } from './change.ts';
import { draftCheck, writtenOf } from './draft.ts';
import { DraftChange } from './draft-change.tsx';
import { type Draft as Changes, useDraft } from './kept-draft.ts';
import { Discard, StrandedDraft, WhereKept } from './stranded-draft.tsx';
import { useAskAgain, useAskAnew, useCommit } from './use-commit.tsx';
import { Writable } from './writable.tsx';

export function Draft() {
  const sight = useSight();
  const draft = useDraft(sight);
  const isStranded = useStranded(sight);
  useAskAgain(sight, isStranded && draft.changes.length > 0);
  useTitle('Your changes', `${sight.orgName}/${sight.repoName}`);
  return (
    <>
      <Writable sight={sight} title="Your changes">
        {draft.changes.length === 0 ? <Nothing sight={sight} /> : <Review sight={sight} draft={draft} />}
      </Writable>
      {isStranded && (
        <StrandedDraft draft={draft}>Once you may write here again, this page offers to commit.</StrandedDraft>
      )}
    </>
  );
}

function Nothing({ sight }: { sight: Sight }) {
  const params = sight;
  return (
    <p>
      There is nothing to commit. <Link {...toNewRecord(params)}>Add a record</Link>, or open{' '}
      <Link {...toRecords(params)}>one that is there</Link> to change it.
    </p>
  );
}

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
        Nothing of this is written yet. It becomes one commit: all of it, or nothing.{' '}
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

const adds = (changes: readonly Change[], what: 'record' | 'shape'): boolean =>
  changes.some((change) => change.step === 'add' && (change.kind === 'shape') === (what === 'shape'));
