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
import { Failure, Loaded, Missing, useTitle } from '../../ui/page.tsx';
import { Fact, LongText, Text } from '../../ui/text.tsx';
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
              <ImportNote count={commit.operationCount} />
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
            what: 'Which records it changed',
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
    return <p className="quiet">The message is hidden, since the commit also changed what you may not see.</p>;
  }
  if (message.trim() === '') return <p className="quiet">It has no message.</p>;
  return (
    <div className="message">
      <LongText>{message}</LongText>
    </div>
  );
}

const ImportNote = ({ count }: { count: number }) => (
  <p>
    This commit is an import: {count.toLocaleString('en')} rows were copied from an export of another repository. The
    commits that made them are listed in the original alone.
  </p>
);

export function CommitFacts({ sight, commit }: { sight: Sight; commit: CommitRecord }) {
  const { repoSeq, createdBy, createdAt, committerWref, commitId } = commit;
  return (
    <>
      <dl className="facts">
        <Fact name="Author">
          <Author createdBy={createdBy} />
        </Fact>
        {committerWref !== undefined && (
          <Fact name="On behalf of">
            <PerhapsHidden wref={committerWref} />
          </Fact>
        )}
        <Fact name="Written">
          {timeText(createdAt, 'second')}{' '}
          <span className="quiet">
            (<Moment at={createdAt} />)
          </span>
        </Fact>
        <Fact name="Id">
          {commitId === null ? (
            <span className="quiet">hidden, as you see a part of the repository</span>
          ) : (
            <code>{commitId}</code>
          )}
        </Fact>
      </dl>
      {sight.at !== undefined && sight.at < repoSeq && (
        <p className="quiet">
          It is later than sequence {sight.at.toLocaleString('en')}, at which you look at the repository.
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
      {repoSeq > first && <Link {...toCommit(sight, repoSeq - 1)}>‹ Commit before</Link>}
      {repoSeq < latest && <Link {...toCommit(sight, repoSeq + 1)}>Next commit ›</Link>}
      <Link to="/$orgName/$repoName" params={sight} search={{ at: repoSeq }}>
        See the repository as of this commit
      </Link>
    </nav>
  );
}

function NoCommit({ sight, asked }: { sight: Sight; asked: string }) {
  const { orgName, repoName } = sight;
  const { data: { repoSeq: latest = 0 } = {} } = useQuery(repository(sight));
  return (
    <Missing title="There is no such commit">
      <p>
        {orgName}/{repoName} has no commit <Text>{asked}</Text>.
        {latest > 0 && !isAmong(Number(asked), latest) && (
          <>
            {' '}
            The last so far is <Link {...toCommit(sight, latest)}>{latest.toLocaleString('en')}</Link>.
          </>
        )}
      </p>
      <p>
        <Link {...toCommits({ orgName, repoName })}>See all commits</Link>
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
        {draft.isPending ? 'Finding out what was before…' : 'Take this commit back…'}
      </SecondaryButton>
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
      {draft.error !== null && !isAsked && <Failure error={draft.error} />}
    </>
  );
}

function leftOut({ changes, gone }: TakingBack, repoSeq: number): string | undefined {
  if (gone.length > 0) return `Not to be found any more, and left out: ${gone.join(', ')}.`;
  return changes.length > 0 ? undefined : `Nothing is left of commit ${repoSeq} to take back.`;
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
