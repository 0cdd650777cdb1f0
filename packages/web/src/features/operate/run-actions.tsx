import type { ActionRun } from '@cairn/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toCommit, toCredentialSet, toRun, toSubscription } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';
import { ActButton } from '../../ui/button.tsx';
import { Moment } from '../../ui/byline.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { List } from '../../ui/list.tsx';
import { focusContent } from '../../ui/page.tsx';
import { LongText, Text } from '../../ui/text.tsx';
import { credentialSets, otherUsers, waitingAdvice } from './credential-set.ts';
import { canBeGivenUp, hasFailed, runsKey } from './run.ts';
import { StateMark } from './state-mark.tsx';
import { allSubscriptions } from './subscription.ts';

interface RunActionsProps {
  readonly home: Home;
  readonly run: Pick<ActionRun, 'runId' | 'status'>;
}

export const RunActions = ({ home, run }: RunActionsProps) => (
  <>
    {(hasFailed(run) || run.status === 'retry_wait') && <Retry home={home} run={run} />}{' '}
    {canBeGivenUp(run) && <GiveUp home={home} run={run} />}
  </>
);

function Retry({ home, run: { runId, status } }: RunActionsProps) {
  const { orgName, repoName } = home;
  const isWaiting = status === 'retry_wait';
  const { invalidate, say } = useFollowUp();
  const retry = useMutation({
    mutationFn: () => client.action.retry(orgName, repoName, runId),
    onSuccess: async ({ subscriptionName: name }) => {
      say({
        text: isWaiting
          ? `The run of ${name} is being retried now. If that fails, the remaining attempts follow.`
          : `The run of ${name} is being delivered again, with all of its attempts.`,
      });
      await invalidate(runsKey(home));
      focusContent();
    },
    onError: (error) => say({ text: `The run was not retried. ${problemOf(error).advice}`, isFailure: true }),
  });
  const action = isWaiting ? 'Retry now' : 'Retry';
  return (
    <ActButton isSmall label={`${action}: ${runId}`} isPending={retry.isPending} onAct={() => retry.mutate()}>
      {action}
    </ActButton>
  );
}

function GiveUp({ home, run: { runId } }: RunActionsProps) {
  const { orgName, repoName } = home;
  const { invalidate, say } = useFollowUp();
  const giveUp = async () => {
    const { subscriptionName } = await client.action.giveUp(orgName, repoName, runId);
    say({ text: `The run of ${subscriptionName} is now a dead letter. You can retry it later.` });
    await invalidate(runsKey(home));
  };
  return (
    <Confirm
      action="Give up"
      label={`Give up: ${runId}`}
      isSmall
      title="Give up this run?"
      onConfirm={giveUp}
      onDone={focusContent}
    >
      <p>
        The run gets no more attempts and becomes a dead letter. This creates a notification, and a delivery to the
        fallback URL if there is one. You can retry it later.
      </p>
    </Confirm>
  );
}

interface AnswerProps {
  readonly answer: {
    readonly outcome?: string | undefined;
    readonly httpStatus?: number | undefined;
    readonly errorCode?: string | undefined;
    readonly errorMessage?: string | undefined;
    readonly durationMs?: number | undefined;
    readonly responseSnippet?: string | undefined;
  };
}

/** The answer is untrusted text and is never interpreted. */
export function Answer({ answer }: AnswerProps) {
  const { outcome, httpStatus, errorCode, errorMessage, durationMs, responseSnippet = '' } = answer;
  return (
    <div className="answer">
      <p>
        <StateMark state={outcome ?? 'in progress'} />
        {httpStatus !== undefined && <span>HTTP {httpStatus}</span>}
        {durationMs !== undefined && <span className="quiet">{Math.round(durationMs).toLocaleString('en')} ms</span>}
      </p>
      {errorCode !== undefined && (
        <p className="problem">
          <Text>{errorCode}</Text>: <Text most={2_000}>{errorMessage ?? ''}</Text>
        </p>
      )}
      {responseSnippet !== '' && (
        <figure>
          <figcaption className="quiet">Start of the response</figcaption>
          <LongText>{responseSnippet}</LongText>
        </figure>
      )}
    </div>
  );
}

export function WaitingAdvice({ home, name, errorCode }: { home: Home; name: string; errorCode: string | undefined }) {
  const enabled = errorCode === 'CREDENTIALS_UNBOUND';
  const { data: subscriptions = [] } = useQuery({ ...allSubscriptions(home), enabled });
  const subscription = subscriptions.find((one) => one.name === name);
  const credentialSet = subscription?.credentialSet;
  const { data: sets = [] } = useQuery({ ...credentialSets(home), enabled });
  const isWaiting = sets.some(({ name: setName, unboundAt }) => setName === credentialSet && unboundAt !== undefined);
  if (!isWaiting || subscription === undefined || credentialSet === undefined) return null;
  return (
    <p>
      {waitingAdvice(subscription, otherUsers(credentialSet, subscriptions, name))}{' '}
      <Link {...toCredentialSet(home, credentialSet)}>View the set {credentialSet}</Link>
      {', '}
      <Link {...toSubscription(home, name)}>view the subscription {name}</Link>
    </p>
  );
}

export const RunList = ({ home, runs }: { home: Home; runs: readonly ActionRun[] }) => (
  <List className="operated" label="Runs" items={runs} keyOf={({ runId }) => runId}>
    {(run) => <RunLine home={home} run={run} />}
  </List>
);

function RunLine({ home, run }: { home: Home; run: ActionRun }) {
  const { runId, subscriptionName, status, createdAt, nextAttemptAt, lastErrorCode, lastErrorMessage } = run;
  return (
    <>
      <div className="run-line">
        <Link {...toRun(home, runId)}>{subscriptionName}</Link> <StateMark state={status} />{' '}
        <RunActions home={home} run={run} />
      </div>
      <p className="quiet">
        {run.event}
        <OfCommit home={home} run={run} />, <Moment at={createdAt} />, {attemptsText(run)}
        {status === 'retry_wait' && nextAttemptAt !== undefined && (
          <>
            , next <Moment at={nextAttemptAt} isPlanned />
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
      of commit <Link {...toCommit(from, repoSeq)}>{repoSeq.toLocaleString('en')}</Link>
      {originRepo !== undefined && ` of ${originRepo.orgName}/${originRepo.repoName}`}
    </>
  );
}

export const attemptsText = ({ attemptCount, maxAttempts }: ActionRun): string =>
  attemptCount === 0 ? 'no attempts yet' : `attempt ${attemptCount} of ${maxAttempts}`;
