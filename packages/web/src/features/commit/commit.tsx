import { timeText } from '@cairn/model/time-text';
import type { CommitRecord } from '@cairn/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { toCommit, toCommits, toDraft } from '../../app/links.ts';
import { useWritable } from '../../app/may.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { repository } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { SecondaryButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Question } from '../../ui/confirm.tsx';
import { Facts } from '../../ui/list.tsx';
import { Failure, Loaded, Missing, useTitle } from '../../ui/page.tsx';
import { LongText, Text } from '../../ui/text.tsx';
import { plain } from '../../ui/unseen.ts';
import { amountOf } from '../change/change.ts';
import { useDraft } from '../change/kept-draft.ts';
import { PerhapsHidden } from '../record/record-link.tsx';
import { orNothing } from '../records/whereabouts.ts';
import { Calls } from './calls.tsx';
import { wholeCommit } from './commit.ts';
import { Operations } from './operations.tsx';
import { type Get, type TakingBack, takingBackOf } from './taking-back.ts';

export function Commit() {
  const sight = useSight();
  const { repoSeq } = useParams({ from: '/$orgName/$repoName/commits/$repoSeq' });
  useTitle(`Commit ${plain(repoSeq, 20)}`, `${sight.orgName}/${sight.repoName}`);
  return /^[1-9]\d{0,14}$/.test(repoSeq) ? (
    <CommitPage sight={sight} repoSeq={Number(repoSeq)} />
  ) : (
    <NoCommit sight={sight} asked={repoSeq} />
  );
}

function CommitPage({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const found = useQuery(wholeCommit(sight, repoSeq));
  return (
    <>
      <CommitSteps sight={sight} repoSeq={repoSeq} />
      <Loaded query={found} what="the commit" missing={<NoCommit sight={sight} asked={String(repoSeq)} />}>
        {(commit) => (
          <>
            <h1>Commit {repoSeq.toLocaleString('en')}</h1>
            <WholeMessage message={commit.message} />
            <CommitFacts sight={sight} commit={commit} />
            {commit.imported ? (
              <p>
                This commit is an import of {commit.operationCount.toLocaleString('en')} rows from an export of another
                repository. Only the original repository lists the commits that wrote them.
              </p>
            ) : (
              <>
                <TakeBack sight={sight} repoSeq={repoSeq} operationCount={commit.operationCount} />
                <Operations sight={sight} commit={commit} />
              </>
            )}
          </>
        )}
      </Loaded>
      <Calls
        shown={[
          { what: 'The commit with its operations', procedure: 'commit.get', given: [repoSeq], names: ['repoSeq'] },
          {
            what: 'The records it changed',
            procedure: 'thing.changes',
            options: { sinceRepoSeq: repoSeq - 1, atRepoSeq: repoSeq },
          },
        ]}
      />
    </>
  );
}

function WholeMessage({ message }: { message: string | null }) {
  if (message === null) {
    return <p className="quiet">The message is hidden, because the commit also changed records that you cannot see.</p>;
  }
  if (message.trim() === '') return <p className="quiet">No message.</p>;
  return (
    <div className="message">
      <LongText>{message}</LongText>
    </div>
  );
}

export function CommitFacts({ sight, commit }: { sight: Sight; commit: CommitRecord }) {
  const { repoSeq, createdBy, createdAt, committerWref, commitId } = commit;
  return (
    <>
      <Facts
        facts={{
          Author: <Author createdBy={createdBy} />,
          'On behalf of': committerWref !== undefined && <PerhapsHidden wref={committerWref} />,
          Written: (
            <>
              {timeText(createdAt, 'second')}{' '}
              <span className="quiet">
                (<Moment at={createdAt} />)
              </span>
            </>
          ),
          ID:
            commitId === null ? (
              <span className="quiet">hidden, because you can see only part of the repository</span>
            ) : (
              <code>{commitId}</code>
            ),
        }}
      />
      {sight.at !== undefined && sight.at < repoSeq && (
        <p className="quiet">
          This commit is later than sequence {sight.at.toLocaleString('en')}, which you are viewing.
        </p>
      )}
    </>
  );
}

function CommitSteps({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const { data } = useQuery(repository(sight));
  const { repoSeq: latest = repoSeq, importedRepoSeq: first = 1 } = data ?? {};
  if (repoSeq > latest) return null;
  return (
    <nav className="steps" aria-label="Commits">
      {repoSeq > first && <Link {...toCommit(sight, repoSeq - 1)}>‹ Previous commit</Link>}
      {repoSeq < latest && <Link {...toCommit(sight, repoSeq + 1)}>Next commit ›</Link>}
      <Link to="/$orgName/$repoName" params={sight} search={{ at: repoSeq }}>
        View the repository at this commit
      </Link>
    </nav>
  );
}

function NoCommit({ sight, asked }: { sight: Sight; asked: string }) {
  const { orgName, repoName } = sight;
  const { data: { repoSeq: latest = 0 } = {} } = useQuery(repository(sight));
  return (
    <Missing title="Commit not found">
      <p>
        {orgName}/{repoName} has no commit <Text>{asked}</Text>.
        {latest > 0 && !isAmong(Number(asked), latest) && (
          <>
            {' '}
            The latest commit is <Link {...toCommit(sight, latest)}>{latest.toLocaleString('en')}</Link>.
          </>
        )}
      </p>
      <p>
        <Link {...toCommits({ orgName, repoName })}>View all commits</Link>
      </p>
    </Missing>
  );
}

const isAmong = (repoSeq: number, latest: number) => repoSeq >= 1 && repoSeq <= latest;

function TakeBack({ sight, repoSeq, operationCount }: { sight: Sight; repoSeq: number; operationCount: number }) {
  const isWritable = useWritable(sight);
  const { changes, put } = useDraft(sight);
  const [isAsked, setIsAsked] = useState(false);
  const { navigate, say } = useFollowUp();
  const draft = useMutation({
    mutationFn: () => findTakingBack(sight, repoSeq),
    onSuccess: async (found) => {
      put(...found.changes);
      const left = leftOut(found, repoSeq);
      if (left !== undefined) say({ text: <Text most={400}>{left}</Text> });
      if (found.changes.length > 0) await navigate(toDraft(sight));
    },
  });
  if (!isWritable || operationCount > TAKEN_BACK_MOST) return null;
  return (
    <>
      <SecondaryButton
        disabled={draft.isPending}
        onClick={() => (changes.length === 0 ? draft.mutate() : setIsAsked(true))}
      >
        {draft.isPending ? 'Reading earlier versions…' : 'Revert this commit…'}
      </SecondaryButton>
      {isAsked && (
        <Question
          title="Add the revert to your draft?"
          action="Add to draft"
          onConfirm={() => draft.mutateAsync()}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {amountOf(changes)} already in your draft. The changes that revert commit {repoSeq} are added to them, for
            one common commit. They replace drafted changes to the same records.
          </p>
        </Question>
      )}
      {draft.error !== null && !isAsked && <Failure error={draft.error} />}
    </>
  );
}

function leftOut({ changes, gone }: TakingBack, repoSeq: number): string | undefined {
  if (gone.length > 0) return `Left out, because they no longer exist: ${gone.join(', ')}.`;
  return changes.length > 0 ? undefined : `Commit ${repoSeq} has no changes left to revert.`;
}

/** Larger commits are too much for a page. */
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
