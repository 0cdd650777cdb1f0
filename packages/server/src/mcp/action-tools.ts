// Tools for what happens on commits.
import type { Tools } from './tool.ts';
import { byWay } from './tool-way.ts';

export const ACTION_TOOLS: Pick<Tools, 'subscription_list' | 'subscription_set' | 'action_runs'> = {
  subscription_list: byWay('subscription_list'),
  subscription_set: byWay('subscription_set'),
  action_runs: byWay('action_runs'),
};
