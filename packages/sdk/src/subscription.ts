import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type {
  PreviewedOperation,
  Subscription,
  SubscriptionFilter,
  SubscriptionTest,
} from '@cairn/protocol/subscription';
import { atHome, type HomeName, homeOf } from './home.ts';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName' | 'name';

/** What a list of subscriptions can be told. */
export type ListSubscriptions = Omit<ProcedureInput<'subscription.list'>, Address> & CallOptions;
/** Whose operations a filter is tried on. */
export type PreviewSubscription = Omit<ProcedureInput<'subscription.preview'>, Address | 'filter'> & CallOptions;
/** What a subscription is created with: what it matches, and where it tells of it. */
export type CreateSubscription = Omit<ProcedureInput<'subscription.create'>, Address> & CallOptions;
/** What changes of a subscription; what is left out stays. */
export type UpdateSubscription = Omit<ProcedureInput<'subscription.update'>, Address> & CallOptions;
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

export function subscriptionSurface(call: Call): SubscriptionSurface {
  return {
    list: (orgName, repoName, options = {}) =>
      listOf(call, 'subscription.list', { ...homeOf(orgName, repoName), ...options }),
    get: (...address) => call('subscription.get', atHome(...address)),
    preview: (orgName, repoName, filter, options = {}) =>
      listOf(call, 'subscription.preview', { orgName, repoName, filter, ...options }),
    create: (orgName, repoName, name, options) =>
      call('subscription.create', { ...atHome(orgName, repoName, name), ...options }),
    update: (orgName, repoName, name, options) =>
      call('subscription.update', { ...atHome(orgName, repoName, name), ...options }),
    pause: (...address) => call('subscription.pause', atHome(...address)),
    resume: (...address) => call('subscription.resume', atHome(...address)),
    delete: (...address) => call('subscription.delete', atHome(...address)),
    bindCredentials: (orgName, repoName, name, credentialSet, options) =>
      call('subscription.bindCredentials', { ...atHome(orgName, repoName, name), credentialSet, ...options }),
    unbindCredentials: (...address) => call('subscription.unbindCredentials', atHome(...address)),
    reveal: (...address) => call('subscription.reveal', atHome(...address)),
    test: (...address) => call('subscription.test', atHome(...address)),
  };
}
