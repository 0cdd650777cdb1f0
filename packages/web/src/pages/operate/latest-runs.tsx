import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import { runList } from '../../data/run.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { RunList } from './run-list.tsx';

const SHOWN = 5;

/** What became of the last commits that a subscription matched. */
export function LatestRuns({ sight, subscription }: { sight: Sight; subscription: string }) {
  const { orgName, repoName } = sight;
  const runs = useInfiniteQuery(runList(sight, { subscription }, SHOWN));
  return (
    <section aria-labelledby="latest-runs">
      <h2 id="latest-runs">Latest runs</h2>
      <Loaded query={runs} what="runs" isPart>
        {({ pages: [first] }) =>
          first === undefined || first.items.length === 0 ? (
            <p className="quiet">No commit has matched yet.</p>
          ) : (
            <RunList sight={sight} runs={first.items} />
          )
        }
      </Loaded>
      <p>
        <Link to="/$orgName/$repoName/operate/runs" params={{ orgName, repoName }} search={{ subscription }}>
          All its runs
        </Link>
      </p>
    </section>
  );
}
