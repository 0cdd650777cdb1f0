import { timeText } from '@cairn/protocol/time-text';
import type { CommitRecord } from '@cairn/sdk';
import type { Sight } from '../../app/sight.ts';
import { Author } from '../../ui/author.tsx';
import { Moment } from '../../ui/moment.tsx';
import { RecordLink } from '../record/record-link.tsx';

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
