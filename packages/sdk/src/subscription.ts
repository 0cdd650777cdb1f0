import type {
  ActionAttempt,
  ActionNotification,
  ActionRun,
  CallbackAnswer,
  CallbackBody,
} from '@cairn/protocol/action';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type {
  CredentialEvent,
  CredentialSet,
  PreviewedOperation,
  Subscription,
  SubscriptionFilter,
  SubscriptionTest,
} from '@cairn/protocol/subscription';
import type { List } from './list.ts';
import type { CallOptions } from './transport.ts';

/** Name of a repository, or null for something that belongs to the organization itself. */
export type HomeName = string | null;

type SubscriptionAddress = 'orgName' | 'repoName' | 'name';

/** Options of `subscription.list`. */
export type ListSubscriptions = Omit<ProcedureInput<'subscription.list'>, SubscriptionAddress> & CallOptions;
/** Options of `subscription.preview`, such as the source of the operations. */
export type PreviewSubscription = Omit<ProcedureInput<'subscription.preview'>, SubscriptionAddress | 'filter'> &
  CallOptions;
/** Options of `subscription.create`: the filter or the event, and the webhook. */
export type CreateSubscription = Omit<ProcedureInput<'subscription.create'>, SubscriptionAddress> & CallOptions;
/** Options of `subscription.update`. Fields that are left out keep their values. */
export type UpdateSubscription = Omit<ProcedureInput<'subscription.update'>, SubscriptionAddress> & CallOptions;
/** A subscription with its full URLs. */
export type RevealedSubscription = ProcedureOutput<'subscription.reveal'>;

/**
 * Subscriptions deliver matching commits to a webhook. With `null` in place of the repository, they belong to the
 * organization and report events of its repositories.
 *
 * @example
 * const { items } = await client.subscription.preview('acme', 'world', { shape: 'Signal' });
 * console.log(items.filter(({ matches }) => matches).length);
 * await client.subscription.create('acme', 'world', 'signals', {
 *   filter: { shape: 'Signal', operation: ['add', 'revise'] },
 *   webhookUrl: 'https://hooks.example.com/cairn',
 * });
 * await client.subscription.create('acme', null, 'new-repos', {
 *   event: 'repo.created',
 *   webhookUrl: 'https://hooks.example.com/cairn',
 * });
 * await client.subscription.bindCredentials('acme', 'world', 'signals', 'hooks');
 * const { outcome } = await client.subscription.test('acme', 'world', 'signals');
 * await client.subscription.unbindCredentials('acme', 'world', 'signals');
 * await client.subscription.pause('acme', 'world', 'signals');
 * await client.subscription.resume('acme', 'world', 'signals');
 * await client.subscription.update('acme', 'world', 'signals', { filter: { shape: 'Signal' } });
 * const { webhookOrigin } = await client.subscription.get('acme', 'world', 'signals');
 * const { webhookUrl } = await client.subscription.reveal('acme', 'world', 'signals');
 * for await (const { name } of client.subscription.list('acme', 'world')) console.log(name);
 * await client.subscription.delete('acme', 'world', 'signals');
 */
export interface SubscriptionSurface {
  /** Subscriptions, by name. */
  list(orgName: string, repoName: HomeName, options?: ListSubscriptions): List<Subscription>;
  /** One subscription. Parts of its URLs that may be secret are hidden; `reveal` shows them. */
  get(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** Tests a filter against the last 100 operations, newest first. */
  preview(
    orgName: string,
    repoName: string,
    filter: SubscriptionFilter,
    options?: PreviewSubscription,
  ): List<PreviewedOperation>;
  /**
   * Creates a subscription, either to an `event` or with a `filter` over the operations of commits. The filter `{}`
   * matches all operations.
   */
  create(orgName: string, repoName: HomeName, name: string, options: CreateSubscription): Promise<Subscription>;
  /**
   * Updates a subscription. Fields that are left out keep their values. A `webhookUrl` with another origin unbinds the
   * credential set until its keys are set again.
   */
  update(orgName: string, repoName: HomeName, name: string, options: UpdateSubscription): Promise<Subscription>;
  /** Pauses a subscription. Commits trigger no more runs, and pending deliveries are held. */
  pause(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /**
   * Resumes a subscription. Held deliveries are sent, and new commits trigger runs again. Commits made during the pause
   * are not delivered.
   */
  resume(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** Deletes a subscription. Its runs stay listed, and unfinished ones end as failed. */
  delete(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** Signs deliveries with a credential set, and sends its other keys with them. */
  bindCredentials(
    orgName: string,
    repoName: HomeName,
    name: string,
    credentialSet: string,
    options?: CallOptions,
  ): Promise<Subscription>;
  /** Removes the credential set, so that deliveries are no longer signed. */
  unbindCredentials(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** The full URLs. The audit log records who saw them. */
  reveal(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<RevealedSubscription>;
  /** Sends a signed test delivery now, and returns its outcome. */
  test(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<SubscriptionTest>;
}

type RunAddress = 'orgName' | 'repoName';

/** Options of `action.runs`, such as the subscription to filter by. */
export type ListRuns = Omit<ProcedureInput<'action.runs'>, RunAddress> & CallOptions;
/** Options of `action.notifications`. */
export type ListNotifications = Omit<ProcedureInput<'action.notifications'>, RunAddress> & CallOptions;

/**
 * Runs of subscriptions: one for each matching commit, with its attempts, and notifications of permanent failures. With
 * `null` in place of the repository, those of the organization itself.
 *
 * @example
 * for await (const { runId, status } of client.action.runs('acme', 'world', { subscription: 'signals' })) {
 *   for await (const { attempt, httpStatus } of client.action.attempts('acme', 'world', runId)) console.log(attempt, httpStatus);
 *   const error = { code: 'TOO_LATE', message: 'It is over.' };
 *   if (status === 'processing') await client.action.callback(runId, { status: 'failure', error });
 *   if (status === 'retry_wait') await client.action.giveUp('acme', 'world', runId);
 * }
 * for await (const { runId, errorMessage } of client.action.notifications('acme', 'world')) {
 *   console.log(errorMessage);
 *   if (runId !== undefined) await client.action.retry('acme', 'world', runId);
 * }
 */
export interface ActionSurface {
  /** Runs, newest first. */
  runs(orgName: string, repoName: HomeName, options?: ListRuns): List<ActionRun>;
  /** Attempts of a run, in order. */
  attempts(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): List<ActionAttempt>;
  /** Runs that failed permanently, and subscriptions that the server paused, newest first. */
  notifications(orgName: string, repoName: HomeName, options?: ListNotifications): List<ActionNotification>;
  /** Delivers a run at once. A failed run gets a full set of attempts again; a waiting run makes its next attempt. */
  retry(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): Promise<ActionRun>;
  /** Stops retrying a waiting run. It becomes a dead letter, and can be retried. */
  giveUp(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): Promise<ActionRun>;
  /** For receivers: reports the progress or the result of a run. The run is identified by its id alone. */
  callback(runId: string, report: CallbackBody, options?: CallOptions): Promise<CallbackAnswer>;
}

/** Options of `credential.list`. */
export type ListCredentialSets = Omit<ProcedureInput<'credential.list'>, SubscriptionAddress> & CallOptions;
/** Options of `credential.create`. */
export type CreateCredentialSet = Omit<ProcedureInput<'credential.create'>, SubscriptionAddress> & CallOptions;
/** Options of `credential.audit`. */
export type ListCredentialEvents = Omit<ProcedureInput<'credential.audit'>, SubscriptionAddress> & CallOptions;

/**
 * Credential sets: secrets for deliveries, such as signing keys, tokens and passwords. Values can be written but never
 * read. With `null` in place of the repository, the sets of the organization itself.
 *
 * @example
 * await client.credential.create('acme', 'world', 'hooks');
 * await client.credential.setKeys('acme', 'world', 'hooks', { WEBHOOK_SIGNING_SECRET: secret, OTHER: 'a value' });
 * await client.credential.unsetKey('acme', 'world', 'hooks', 'OTHER');
 * await client.subscription.bindCredentials('acme', 'world', 'signals', 'hooks');
 * const { keys } = await client.credential.get('acme', 'world', 'hooks');
 * for await (const { action } of client.credential.audit('acme', 'world', 'hooks')) console.log(action);
 * await client.credential.revoke('acme', 'world', 'hooks');
 * await client.subscription.unbindCredentials('acme', 'world', 'signals');
 * await client.credential.delete('acme', 'world', 'hooks');
 * for await (const { name } of client.credential.list('acme', 'world')) console.log(name);
 */
export interface CredentialSurface {
  /** Credential sets, by name. */
  list(orgName: string, repoName: HomeName, options?: ListCredentialSets): List<CredentialSet>;
  /** One set, with the names of its keys but not their values. */
  get(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** Creates an empty set. */
  create(orgName: string, repoName: HomeName, name: string, options?: CreateCredentialSet): Promise<CredentialSet>;
  /** Adds keys to a set. An existing key gets the new value. */
  setKeys(
    orgName: string,
    repoName: HomeName,
    name: string,
    keys: Record<string, string>,
    options?: CallOptions,
  ): Promise<CredentialSet>;
  /** Removes one key from a set. */
  unsetKey(
    orgName: string,
    repoName: HomeName,
    name: string,
    key: string,
    options?: CallOptions,
  ): Promise<CredentialSet>;
  /** Revokes a set at once and permanently. Nothing is sent with it any more. */
  revoke(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** Deletes a set, unless a subscription uses it. */
  delete(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** Events of a set, including every use, newest first. */
  audit(orgName: string, repoName: HomeName, name: string, options?: ListCredentialEvents): List<CredentialEvent>;
}
