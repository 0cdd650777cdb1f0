// Subscriptions, what became of them, and the credential sets that deliveries are sent with.
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

/** The repository that something belongs to; null where it belongs to the organization itself. */
export type HomeName = string | null;

type SubscriptionAddress = 'orgName' | 'repoName' | 'name';

/** What a list of subscriptions can be told. */
export type ListSubscriptions = Omit<ProcedureInput<'subscription.list'>, SubscriptionAddress> & CallOptions;
/** Whose operations a filter is tried on. */
export type PreviewSubscription = Omit<ProcedureInput<'subscription.preview'>, SubscriptionAddress | 'filter'> &
  CallOptions;
/** What a subscription is created with: what it matches, and where it tells of it. */
export type CreateSubscription = Omit<ProcedureInput<'subscription.create'>, SubscriptionAddress> & CallOptions;
/** What changes of a subscription; what is left out stays. */
export type UpdateSubscription = Omit<ProcedureInput<'subscription.update'>, SubscriptionAddress> & CallOptions;
/** A subscription with its URLs in full. */
export type RevealedSubscription = ProcedureOutput<'subscription.reveal'>;

/**
 * Subscriptions: which commits are told to a webhook. With `null` in place of the repository, those of the organization
 * itself, which are told what becomes of its repositories.
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
  /** The subscriptions, by name. */
  list(orgName: string, repoName: HomeName, options?: ListSubscriptions): List<Subscription>;
  /** Without what may be secret in its URLs, which `reveal` shows. */
  get(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** Which of the last 100 operations a filter would have matched, newest first. */
  preview(
    orgName: string,
    repoName: string,
    filter: SubscriptionFilter,
    options?: PreviewSubscription,
  ): List<PreviewedOperation>;
  /** With either a `filter` over the operations of commits, of which `{}` matches all, or an `event`. */
  create(orgName: string, repoName: HomeName, name: string, options: CreateSubscription): Promise<Subscription>;
  /** What is left out stays. Another origin of `webhookUrl` unbinds the credential set until its keys are set anew. */
  update(orgName: string, repoName: HomeName, name: string, options: UpdateSubscription): Promise<Subscription>;
  /** Commits fire nothing any more, and what waits to be delivered is held. */
  pause(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** Delivers what was held, and tells of commits from now on. Those of meanwhile are not told. */
  resume(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** Its runs stay listed; those that are not over end as failed. */
  delete(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** Signs deliveries with a credential set, and sends its other keys with them. */
  bindCredentials(
    orgName: string,
    repoName: HomeName,
    name: string,
    credentialSet: string,
    options?: CallOptions,
  ): Promise<Subscription>;
  /** Deliveries are not signed any more. */
  unbindCredentials(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<Subscription>;
  /** The URLs in full. The audit log says who saw them. */
  reveal(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<RevealedSubscription>;
  /** Sends a signed test delivery now, and answers how it went. */
  test(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<SubscriptionTest>;
}

type RunAddress = 'orgName' | 'repoName';

/** Which runs are listed. */
export type ListRuns = Omit<ProcedureInput<'action.runs'>, RunAddress> & CallOptions;
/** What a list of notifications can be told. */
export type ListNotifications = Omit<ProcedureInput<'action.notifications'>, RunAddress> & CallOptions;

/**
 * What became of subscriptions: a run for each commit that one matched, its attempts, and what failed for good. With
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
  /** The runs, newest first. */
  runs(orgName: string, repoName: HomeName, options?: ListRuns): List<ActionRun>;
  /** Every attempt of a run, in order. */
  attempts(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): List<ActionAttempt>;
  /** The runs that failed for good, and the subscriptions that the server paused, newest first. */
  notifications(orgName: string, repoName: HomeName, options?: ListNotifications): List<ActionNotification>;
  /** Delivers a run at once: one that has failed, with as many attempts as at first, or one that waits for its next. */
  retry(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): Promise<ActionRun>;
  /** Tries a run that waits no more. It is a dead letter, and can be retried. */
  giveUp(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): Promise<ActionRun>;
  /** For receivers: how far a run is, or how it ended. The run is known by its id alone. */
  callback(runId: string, report: CallbackBody, options?: CallOptions): Promise<CallbackAnswer>;
}

/** What a list of credential sets can be told. */
export type ListCredentialSets = Omit<ProcedureInput<'credential.list'>, SubscriptionAddress> & CallOptions;
/** What a credential set is created with. */
export type CreateCredentialSet = Omit<ProcedureInput<'credential.create'>, SubscriptionAddress> & CallOptions;
/** What a list of what happened to a set can be told. */
export type ListCredentialEvents = Omit<ProcedureInput<'credential.audit'>, SubscriptionAddress> & CallOptions;

/**
 * Credential sets: secrets that deliveries are sent with, such as signing keys, tokens and passwords. Values go in, and never
 * out. With `null` in place of the repository, the sets of the organization itself.
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
  /** The sets, by name. */
  list(orgName: string, repoName: HomeName, options?: ListCredentialSets): List<CredentialSet>;
  /** Which keys it holds, not what they are. */
  get(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** An empty one. */
  create(orgName: string, repoName: HomeName, name: string, options?: CreateCredentialSet): Promise<CredentialSet>;
  /** Besides the keys that it has; a key that it has gets the new value. */
  setKeys(
    orgName: string,
    repoName: HomeName,
    name: string,
    keys: Record<string, string>,
    options?: CallOptions,
  ): Promise<CredentialSet>;
  /** Takes one key out. */
  unsetKey(
    orgName: string,
    repoName: HomeName,
    name: string,
    key: string,
    options?: CallOptions,
  ): Promise<CredentialSet>;
  /** Nothing is sent with it any more, at once and for good. */
  revoke(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** Only where no subscription uses it. */
  delete(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** What happened to a set, every use included, newest first. */
  audit(orgName: string, repoName: HomeName, name: string, options?: ListCredentialEvents): List<CredentialEvent>;
}
