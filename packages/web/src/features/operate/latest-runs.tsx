import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { addressOf, type Home } from '../../app/home.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { runList } from './run.ts';
import { RunList } from './run-list.tsx';

const SHOWN = 5;

/** What became of the last commits that a subscription matched. */
export function LatestRuns({ home, subscription }: { home: Home; subscription: string }) {
  const runs = useInfiniteQuery(runList(home, { subscription }, SHOWN));
  return (
    <section aria-labelledby="latest-runs">
      <h2 id="latest-runs">Latest runs</h2>
      <Loaded query={runs} what="runs" isPart>
        {({ pages: [first] }) =>
          first === undefined || first.items.length === 0 ? (
            <p className="quiet">Nothing was to be told yet.</p>
          ) : (
            <RunList home={home} runs={first.items} />
          )
        }
      </Loaded>
      <p>
        <Link to="/$orgName/$repoName/operate/runs" params={addressOf(home)} search={{ subscription }}>
          All its runs
        </Link>
      </p>
    </section>
  );
}
