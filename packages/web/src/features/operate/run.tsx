import type { ActionAttempt, ActionRun } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { toRuns, toSubscription } from '../../app/links.ts';
import { type Home, homeName, useHome } from '../../app/sight.ts';
import { Moment } from '../../ui/byline.tsx';
import { Facts } from '../../ui/list.tsx';
import { Loaded, useTitle } from '../../ui/page.tsx';
import { LongText, Text } from '../../ui/text.tsx';
import { plain } from '../../ui/unseen.ts';
import { Calls } from '../commit/calls.tsx';
import { runOf } from './run.ts';
import { Answer, attemptsText, OfCommit, RunActions, WaitingAdvice } from './run-actions.tsx';
import { StateMark } from './state-mark.tsx';

export function Run() {
  const home = useHome();
  const { runId = '' } = useParams({ strict: false });
  useTitle(`Run ${plain(runId, 100)}`, homeName(home));
  const found = useQuery(runOf(home, runId));
  const given = { given: [runId], names: ['runId'] };
  return (
    <>
      <h1>Run</h1>
      <Loaded query={found} what="the run" isPart missing={<NoRun home={home} />}>
        {({ run, attempts }) => (
          <>
            {run !== undefined && <RunFacts home={home} run={run} />}
            <h2>Attempts</h2>
            {attempts.length === 0 ? <p>No attempts yet.</p> : <Attempts attempts={attempts} />}
          </>
        )}
      </Loaded>
      <Calls
        shown={[
          { what: 'The run', procedure: 'action.runs', options: { runId } },
          { what: 'Its attempts, in order', procedure: 'action.attempts', ...given },
        ]}
      />
    </>
  );
}

const NoRun = ({ home }: { home: Home }) => (
  <p>
    Run not found. Test deliveries are not runs, and finished runs are kept for 30 days by default. See{' '}
    <Link {...toRuns(home)}>all runs</Link>.
  </p>
);

function RunFacts({ home, run }: { home: Home; run: ActionRun }) {
  const { runId, subscriptionName: name, status, createdAt, nextAttemptAt, progress, message, result } = run;
  return (
    <>
      <div className="actions">
        <span role="status">
          <StateMark state={status} />
        </span>
        <RunActions home={home} run={run} />
      </div>
      <Facts
        facts={{
          Subscription: <Link {...toSubscription(home, name)}>{name}</Link>,
          Trigger: (
            <>
              {run.event}
              <OfCommit home={home} run={run} />
              {placesText(run)}
            </>
          ),
          Started: (
            <>
              <Moment at={createdAt} />, {attemptsText(run)}
            </>
          ),
          'Next attempt': nextAttemptAt !== undefined && <Moment at={nextAttemptAt} isPlanned />,
          Error: status !== 'succeeded' && run.lastErrorMessage !== undefined && (
            <>
              <Text most={1_000}>{run.lastErrorMessage}</Text>
              <WaitingAdvice home={home} name={name} errorCode={run.lastErrorCode} />
            </>
          ),
          Progress: progress !== undefined && `${Math.round(progress * 100)} %`,
          Reported: message && <Text>{message}</Text>,
          Result: result !== undefined && <LongText>{JSON.stringify(result, null, 2)}</LongText>,
          'Run ID': <code>{runId}</code>,
        }}
      />
    </>
  );
}

function placesText({ matchedOperationIndexes: places }: ActionRun): string {
  if (places.length === 0) return '';
  return `, ${places.length === 1 ? 'operation' : 'operations'} ${places.join(', ')}`;
}

const Attempts = ({ attempts }: { attempts: readonly ActionAttempt[] }) => (
  <ol className="operated" aria-label="Attempts">
    {attempts.map((attempt) => (
      <li key={`${attempt.attempt} ${attempt.target}`} value={attempt.attempt}>
        <p>
          Attempt {attempt.attempt}
          {attempt.target === 'fallback' && ' at the fallback'}, <Moment at={attempt.startedAt} />
        </p>
        <Answer answer={attempt} />
      </li>
    ))}
  </ol>
);
