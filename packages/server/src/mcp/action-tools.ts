// Tools for what happens on commits.
import type { SubscriptionAction } from '@cairn/protocol/action-tools';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { ToolArguments } from '@cairn/protocol/tools';
import type { CallProcedure, Tools } from './tool.ts';

type SubscriptionInput = Omit<ToolArguments<'subscription_set'>, 'action'>;

/** The input is as the model gave it: what an action does not take is refused by its procedure, with its name. */
const SUBSCRIPTION_ACTIONS: {
  readonly [Action in SubscriptionAction]: (call: CallProcedure, input: never) => Promise<object>;
} = {
  create: (call, input: ProcedureInput<'subscription.create'>) => call('subscription.create', input),
  update: (call, input: ProcedureInput<'subscription.update'>) => call('subscription.update', input),
  pause: (call, input: ProcedureInput<'subscription.pause'>) => call('subscription.pause', input),
  resume: (call, input: ProcedureInput<'subscription.resume'>) => call('subscription.resume', input),
  delete: (call, input: ProcedureInput<'subscription.delete'>) => call('subscription.delete', input),
  bindCredentials: (call, input: ProcedureInput<'subscription.bindCredentials'>) =>
    call('subscription.bindCredentials', input),
  unbindCredentials: (call, input: ProcedureInput<'subscription.unbindCredentials'>) =>
    call('subscription.unbindCredentials', input),
  test: (call, input: ProcedureInput<'subscription.test'>) => call('subscription.test', input),
  retry: (call, input: ProcedureInput<'action.retry'>) => call('action.retry', input),
};

export const ACTION_TOOLS: Pick<Tools, 'subscription_list' | 'subscription_set' | 'action_runs'> = {
  subscription_list: async (call, { name, credentials, limit, cursor, ...home }) => {
    if (credentials === true) return await call('credential.list', { ...home, limit, cursor });
    if (name !== undefined) return await call('subscription.get', { ...home, name });
    return await call('subscription.list', { ...home, limit, cursor });
  },

  subscription_set: async (call, { action, ...input }) => {
    const run = SUBSCRIPTION_ACTIONS[action] as (call: CallProcedure, input: SubscriptionInput) => Promise<object>;
    return await run(call, input);
  },

  action_runs: async (call, { runId, notifications, ...input }) => {
    const { orgName, repoName, since, limit, cursor } = input;
    if (runId !== undefined) return await call('action.attempts', { orgName, repoName, runId });
    if (notifications !== true) return await call('action.runs', input);
    return await call('action.notifications', { orgName, repoName, since, limit, cursor });
  },
};
