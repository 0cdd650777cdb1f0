import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { repository } from '../../app/queries.ts';
import { type Sight, timeOf } from '../../app/sight.ts';
import { Missing } from '../../ui/missing.tsx';
import { Text } from '../../ui/text.tsx';

/** To the commits around one, and to the repository as it was right after it. */
export function CommitSteps({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const { orgName, repoName } = sight;
  const { data } = useQuery(repository(sight));
  const { repoSeq: latest = repoSeq, importedRepoSeq: first = 1 } = data ?? {};
  if (repoSeq > latest) return null;
  return (
    <nav className="steps" aria-label="Commits">
      {repoSeq > first && (
        <Step sight={sight} to={repoSeq - 1}>
          ‹ Commit before
        </Step>
      )}
      {repoSeq < latest && (
        <Step sight={sight} to={repoSeq + 1}>
          Next commit ›
        </Step>
      )}
      <Link to="/$orgName/$repoName" params={{ orgName, repoName }} search={{ at: repoSeq }}>
        See the repository as of this commit
      </Link>
    </nav>
  );
}

/** A commit that is not there, by whatever number or word: where there are others. */
export function NoCommit({ sight, asked }: { sight: Sight; asked: string }) {
  const { orgName, repoName } = sight;
  const { data: { repoSeq: latest = 0 } = {} } = useQuery(repository(sight));
  return (
    <Missing title="There is no such commit">
      <p>
        {orgName}/{repoName} has no commit <Text>{asked}</Text>.
        {latest > 0 && !isAmong(Number(asked), latest) && (
          <>
            {' '}
            The last so far is{' '}
            <Step sight={sight} to={latest}>
              {latest.toLocaleString('en')}
            </Step>
            .
          </>
        )}
      </p>
      <p>
        <Link to="/$orgName/$repoName/commits" params={{ orgName, repoName }} search={timeOf(sight)}>
          See all commits
        </Link>
      </p>
    </Missing>
  );
}

const isAmong = (repoSeq: number, latest: number) => repoSeq >= 1 && repoSeq <= latest;

function Step({ sight, to, children }: { sight: Sight; to: number; children: string }) {
  const { orgName, repoName } = sight;
  return (
    <Link
      to="/$orgName/$repoName/commits/$repoSeq"
      params={{ orgName, repoName, repoSeq: String(to) }}
      search={timeOf(sight)}
    >
      {children}
    </Link>
  );
}
