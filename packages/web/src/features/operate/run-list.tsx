import type { ActionRun } from '@cairn/sdk';
import type { Home } from '../../app/sight.ts';
import { Moment } from '../../ui/moment.tsx';
import { Text } from '../../ui/text.tsx';
import { CommitLink } from '../record/record-link.tsx';
import { RunActions } from './run-actions.tsx';
import { RunLink, StateMark } from './state-mark.tsx';

export function RunList({ home, runs }: { home: Home; runs: readonly ActionRun[] }) {
  return (
    <ul className="operated" aria-label="Runs">
      {runs.map((run) => (
        <li key={run.runId}>
          <RunLine home={home} run={run} />
        </li>
      ))}
    </ul>
  );
}

function RunLine({ home, run }: { home: Home; run: ActionRun }) {
  const { runId, subscriptionName, status, createdAt, nextAttemptAt, lastErrorCode, lastErrorMessage } = run;
  return (
    <>
      <div className="run-line">
        <RunLink home={home} runId={runId}>
          {subscriptionName}
        </RunLink>{' '}
        <StateMark state={status} /> <RunActions home={home} run={run} />
      </div>
      <p className="quiet">
        {run.event}
        <OfCommit home={home} run={run} />, <Moment at={createdAt} />, {attemptsText(run)}
        {status === 'retry_wait' && nextAttemptAt !== undefined && (
          <>
            , the next <Moment at={nextAttemptAt} isPlanned />
          </>
        )}
      </p>
      {lastErrorCode !== undefined && status !== 'succeeded' && (
        <p className="problem">
          <Text>{lastErrorCode}</Text>: <Text>{lastErrorMessage ?? ''}</Text>
        </p>
      )}
    </>
  );
}

export function OfCommit({
  home: { orgName, repoName },
  run: { repoSeq, originRepo },
}: {
  home: Home;
  run: ActionRun;
}) {
  const from = originRepo ?? (repoName === null ? undefined : { orgName, repoName });
  if (repoSeq === undefined || from === undefined) return null;
  return (
    <>
      {' '}
      of <CommitLink sight={from} repoSeq={repoSeq} />
      {originRepo !== undefined && ` of ${originRepo.orgName}/${originRepo.repoName}`}
    </>
  );
}

export const attemptsText = ({ attemptCount, maxAttempts }: ActionRun): string =>
  attemptCount === 0 ? 'not tried yet' : `attempt ${attemptCount} of ${maxAttempts}`;
