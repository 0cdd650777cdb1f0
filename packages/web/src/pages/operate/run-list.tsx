import type { ActionRun } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import { hasFailed } from '../../data/run.ts';
import { Moment } from '../../parts/moment.tsx';
import { Text } from '../../parts/text.tsx';
import { CommitNumber } from './filter-preview.tsx';
import { RetryButton } from './retry-button.tsx';
import { StateMark } from './state-mark.tsx';

/** Runs, newest first, each leading to its attempts. */
export function RunList({ sight, runs }: { sight: Sight; runs: readonly ActionRun[] }) {
  return (
    <ul className="operated" aria-label="Runs">
      {runs.map((run) => (
        <li key={run.runId}>
          <RunLine sight={sight} run={run} />
        </li>
      ))}
    </ul>
  );
}

function RunLine({ sight, run }: { sight: Sight; run: ActionRun }) {
  const { orgName, repoName } = sight;
  const { runId, subscriptionName, status, createdAt, lastErrorCode, lastErrorMessage } = run;
  return (
    <>
      <p>
        <Link to="/$orgName/$repoName/operate/runs/$runId" params={{ orgName, repoName, runId }} search={{}}>
          {subscriptionName}
        </Link>{' '}
        <StateMark state={status} /> {hasFailed(run) && <RetryButton sight={sight} runId={runId} />}
      </p>
      <p className="quiet">
        {run.event}
        <OfCommit sight={sight} run={run} />, <Moment at={createdAt} />, {attemptsText(run)}
      </p>
      {lastErrorCode !== undefined && status !== 'succeeded' && (
        <p className="problem">
          <Text>{lastErrorCode}</Text>: <Text>{lastErrorMessage ?? ''}</Text>
        </p>
      )}
    </>
  );
}

/** Which commit it tells of, where it is one. */
export function OfCommit({ sight, run: { repoSeq, originRepo } }: { sight: Sight; run: ActionRun }) {
  if (repoSeq === undefined) return null;
  const source = originRepo && `${originRepo.orgName}/${originRepo.repoName}`;
  return (
    <>
      {' '}
      of commit <CommitNumber sight={sight} source={source} repoSeq={repoSeq} />
      {source !== undefined && ` of ${source}`}
    </>
  );
}

export const attemptsText = ({ attemptCount, maxAttempts }: ActionRun): string =>
  attemptCount === 0 ? 'not tried yet' : `attempt ${attemptCount} of ${maxAttempts}`;
