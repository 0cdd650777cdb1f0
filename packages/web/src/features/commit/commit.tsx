import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Calls } from '../../app/calls.tsx';
import { type Sight, useSight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { LongText, plain } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { wholeCommit } from './commit.ts';
import { CommitSteps, NoCommit } from './commit-steps.tsx';
import { Operations } from './operations.tsx';
import { TakeBack } from './take-back.tsx';
import '../../ui/css/page.css';
import '../../ui/css/commit.css';
import { timeText } from '@cairn/protocol/time-text';
import type { CommitRecord } from '@cairn/sdk';
import { Author } from '../../ui/author.tsx';
import { Moment } from '../../ui/moment.tsx';
import { RecordLink } from '../record/record-link.tsx';

/** One commit: who wrote it, why, and what it changed. */
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
          {
            what: 'The commit with its operations',
            procedure: 'commit.get',
            given: [repoSeq],
            names: ['repoSeq'],
          },
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

function ImportNote({ count }: { count: number }) {
  return (
    <p>
      This commit is an import: {count.toLocaleString('en')} rows were copied from an export of another repository. The
      commits that made them are listed in the original alone.
    </p>
  );
}

/** Who wrote a commit, when, and what proves it. */
export function CommitFacts({ sight, commit }: { sight: Sight; commit: CommitRecord }) {
  const { repoSeq, createdBy, createdAt, committerWref, commitId } = commit;
  return (
    <>
      <dl className="facts">
        <div>
          <dt>Author</dt>
          <dd>
            <Author createdBy={createdBy} />
          </dd>
        </div>
        {committerWref !== undefined && (
          <div>
            <dt>On behalf of</dt>
            <dd>
              {committerWref === null ? (
                <span className="quiet">hidden from you</span>
              ) : (
                <RecordLink wref={committerWref} />
              )}
            </dd>
          </div>
        )}
        <div>
          <dt>Written</dt>
          <dd>
            {timeText(createdAt, 'second')}{' '}
            <span className="quiet">
              (<Moment at={createdAt} />)
            </span>
          </dd>
        </div>
        <div>
          <dt>Id</dt>
          <dd>
            {commitId === null ? (
              <span className="quiet">hidden, as you see a part of the repository</span>
            ) : (
              <code>{commitId}</code>
            )}
          </dd>
        </div>
      </dl>
      {sight.at !== undefined && sight.at < repoSeq && (
        <p className="quiet">
          It is later than sequence {sight.at.toLocaleString('en')}, at which you look at the repository.
        </p>
      )}
    </>
  );
}
