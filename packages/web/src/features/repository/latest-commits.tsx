import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { latestCommits } from '../../app/queries.ts';
import { type Sight, timeOf } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { CommitList } from '../commit/commit-list.tsx';

export const COMMITS_SHOWN = 10;

export function LatestCommits({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const commits = useQuery(latestCommits(sight, COMMITS_SHOWN));
  return (
    <section aria-labelledby="latest-commits">
      <h2 id="latest-commits">Latest commits</h2>
      <Loaded query={commits} what="commits" isPart>
        {({ items, nextCursor }) => (
          <>
            <CommitList sight={sight} commits={items} />
            {nextCursor !== undefined && (
              <Link to="/$orgName/$repoName/commits" params={{ orgName, repoName }} search={timeOf(sight)}>
                All commits
              </Link>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
