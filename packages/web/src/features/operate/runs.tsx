import { RUN_STATUSES } from '@cairn/protocol/vocabulary';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { toRuns } from '../../app/links.ts';
import type { RunsSearch } from '../../app/search.ts';
import { type Home, homeName, useHome } from '../../app/sight.ts';
import { ChoiceField } from '../../ui/field.tsx';
import { Page, PagedList } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { runList } from './run.ts';
import { RunList } from './run-actions.tsx';
import { stateWord } from './state-mark.tsx';
import { allSubscriptions } from './subscription.ts';

export function Runs() {
  const home = useHome();
  const { subscription, status } = useSearch({ strict: false });
  const runs = useInfiniteQuery(runList(home, { subscription, status }));
  return (
    <Page title="Runs" within={homeName(home)}>
      <p className="hint">
        A run delivers one commit or event to the receiver of a subscription. This list updates automatically.
      </p>
      <p className="hint">
        A <em>failed</em> run was rejected by the receiver or could not be sent, and is not retried automatically. A{' '}
        <em>dead letter</em> used all of its attempts, or somebody gave it up. You can retry both.
      </p>
      <RunFilter home={home} subscription={subscription} status={status} />
      <PagedList query={runs} what="runs" none={<p>No runs match.</p>}>
        {(all) => <RunList home={home} runs={all} />}
      </PagedList>
      <Calls
        shown={{
          what: 'The runs, newest first',
          procedure: 'action.runs',
          options: { subscription, status },
          ...(home.repoName !== null && { rest: `/api/repos/${homeName(home)}/actions/runs` }),
        }}
      />
    </Page>
  );
}

interface ChoiceProps {
  readonly home: Home;
  readonly subscription: RunsSearch['subscription'] | undefined;
  readonly status: RunsSearch['status'] | undefined;
}

const ALL = '';

function RunFilter({ home, subscription, status }: ChoiceProps) {
  const navigate = useNavigate();
  const { data = [] } = useQuery(allSubscriptions(home));
  // Runs of deleted subscriptions remain.
  const names = [...new Set([...data.map(({ name }) => name), ...(subscription === undefined ? [] : [subscription])])];
  const choose = (search: RunsSearch) => void navigate({ ...toRuns(home, search), replace: true, resetScroll: false });
  return (
    <div className="run-choice">
      <ChoiceField
        label="Subscription"
        value={subscription ?? ALL}
        options={[{ value: ALL, label: 'All' }, ...names.map((name) => ({ value: name }))]}
        onChange={(name) => choose({ ...(name !== ALL && { subscription: name }), ...(status && { status }) })}
      />
      <ChoiceField
        label="State"
        value={status ?? ALL}
        options={[{ value: ALL, label: 'All' }, ...RUN_STATUSES.map((one) => ({ value: one, label: stateWord(one) }))]}
        onChange={(one) =>
          choose({ ...(subscription !== undefined && { subscription }), ...(one !== ALL && { status: one }) })
        }
      />
    </div>
  );
}
