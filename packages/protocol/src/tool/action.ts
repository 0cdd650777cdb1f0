import { z } from 'zod';
import { runAddress, runId, runList } from '../action.ts';
import { componentRef, installation } from '../component.ts';
import { organizationName, repositoryName } from '../organization.ts';
import { pageInput } from '../page.ts';
import type { ToolRow } from '../row.ts';
import { subscriptionCreation, subscriptionList, subscriptionName, subscriptionUpdate } from '../subscription.ts';
import { inWays, items, pageOutput, text } from '../tool-way.ts';

/** The actions of `subscription_set`; `retry` and `giveUp` act on a run, all others on a subscription. */
const SUBSCRIPTION_ACTIONS = {
  create: 'subscription.create',
  update: 'subscription.update',
  pause: 'subscription.pause',
  resume: 'subscription.resume',
  delete: 'subscription.delete',
  bindCredentials: 'subscription.bindCredentials',
  unbindCredentials: 'subscription.unbindCredentials',
  test: 'subscription.test',
  retry: 'action.retry',
  giveUp: 'action.giveUp',
} as const;

type SubscriptionAction = keyof typeof SUBSCRIPTION_ACTIONS;

const ACTION_NAMES = Object.keys(SUBSCRIPTION_ACTIONS) as [SubscriptionAction, ...SubscriptionAction[]];

const creation = subscriptionCreation.shape;
const { newName, fallbackWebhookUrl } = subscriptionUpdate.shape;

export const ACTION_TOOLS = {
  subscription_list: {
    title: 'List subscriptions',
    description:
      'Lists subscriptions of a repository or, without repoName, of the organization. A subscription sends matching commits to a webhook. name: only that one. credentials: true lists credential sets, which sign deliveries, without their values.',
    input: z.strictObject({
      ...subscriptionList.shape,
      name: subscriptionName.optional(),
      credentials: z.boolean().optional(),
    }),
    output: pageOutput.partial(),
    ...inWays([
      { when: { credentials: true }, calls: 'credential.list' },
      { when: { name: true }, calls: 'subscription.get' },
      { when: {}, calls: 'subscription.list' },
    ]),
    effect: 'reads',
  },
  subscription_set: {
    title: 'Manage a subscription',
    description:
      'Manages a subscription or a run by action. create: webhookUrl and either filter or event. update: replaces the given fields. pause, resume, delete, bindCredentials (credentialSet), unbindCredentials, test (sends a delivery now), retry (delivers the failed or waiting run runId at once), giveUp (stops retrying the waiting run runId). People set the secrets: cairn credential set.',
    input: z.strictObject({
      orgName: creation.orgName,
      repoName: creation.repoName,
      action: z.enum(ACTION_NAMES),
      name: subscriptionName.optional(),
      newName,
      filter: creation.filter.describe(
        'operation, kind, shape, name, match (glob): each a string or a list; all, any: lists of filters; not: a filter. All must match. {} matches every commit.',
      ),
      event: creation.event,
      webhookUrl: creation.webhookUrl.optional(),
      fallbackWebhookUrl,
      credentialSet: creation.credentialSet,
      source: creation.source,
      allowTraceReentry: z.boolean().optional().describe('Also match commits that follow from its own deliveries.'),
      runId: runId.optional(),
    }),
    output: z.looseObject({}),
    ...inWays(ACTION_NAMES.map((action) => ({ when: { action }, calls: SUBSCRIPTION_ACTIONS[action] }))),
    effect: 'changes',
    reaches: true,
  },
  action_runs: {
    title: 'List deliveries',
    description:
      'Lists runs of subscriptions, newest first. runId: attempts of that run, with the responses. notifications: true lists what failed for good.',
    input: z.strictObject({
      ...runList.shape,
      runId: runAddress.shape.runId.optional(),
      notifications: z.boolean().optional(),
    }),
    output: z.looseObject({ items: z.array(z.unknown()), nextCursor: text.optional() }),
    ...inWays([
      { when: { runId: true }, calls: 'action.attempts' },
      { when: { notifications: true }, calls: 'action.notifications' },
      { when: {}, calls: 'action.runs' },
    ]),
    effect: 'reads',
  },
} as const satisfies Record<string, ToolRow>;

export const COMPONENT_TOOLS = {
  component_list: {
    title: 'List components',
    description:
      'Lists components. With orgName and repoName: those installed in that repository; with component too: its problems and what to do. Otherwise: those that can be installed, optionally only of orgName; with component: its manifest.',
    input: z.strictObject({
      orgName: organizationName.optional(),
      repoName: repositoryName.optional(),
      component: componentRef.optional().describe('Written as org/name.'),
      ...pageInput,
    }),
    output: pageOutput.partial(),
    ...inWays([
      { when: { repoName: true, component: true }, calls: 'component.doctor' },
      { when: { repoName: true }, calls: 'component.list' },
      // The component determines the organization.
      { when: { component: true }, calls: 'component.view', without: ['orgName'] },
      { when: {}, calls: 'component.registry' },
    ]),
    effect: 'reads',
  },
  component_install: {
    title: 'Install a component',
    description:
      'Installs a component in a repository, with its shapes and subscriptions, or restores missing parts. update: true updates it to the latest version. Read its manifest first (component_list): code of others will read and write there.',
    input: z.strictObject({
      orgName: installation.shape.orgName,
      repoName: installation.shape.repoName,
      component: componentRef.describe('Written as org/name.'),
      update: z.boolean().optional(),
    }),
    output: z.looseObject({ component: text, state: text, version: text, findings: items }),
    ...inWays([
      { when: { update: true }, calls: 'component.update' },
      { when: {}, calls: 'component.install' },
    ]),
    effect: 'adds',
    idempotent: true,
    reaches: true,
  },
} as const satisfies Record<string, ToolRow>;
