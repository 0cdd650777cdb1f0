// What subscriptions can be for besides operations of commits. Plain values without zod, for the threads of the store.

/** Of a repository: told to subscriptions of the repository. */
export const REPOSITORY_EVENTS = ['thing.renamed', 'shape.renamed', 'repo.renamed'] as const;
/** Of an organization's repositories: told to subscriptions of the organization. */
export const ORGANIZATION_EVENTS = ['repo.created', 'repo.renamed', 'repo.archived', 'repo.deleted'] as const;

export type RepositoryEvent = (typeof REPOSITORY_EVENTS)[number];
export type OrganizationEvent = (typeof ORGANIZATION_EVENTS)[number];
/** What can happen to repositories, for subscriptions to it. */
export type SubscriptionEvent = RepositoryEvent | OrganizationEvent;

/** What a delivery says that it is for. */
export type DeliveryEvent = 'cairn.write' | 'cairn.retract' | 'cairn.test' | `cairn.${SubscriptionEvent}`;

/** Of a run. The last four are final. */
export const RUN_STATUSES = [
  'pending',
  'running',
  'processing',
  'retry_wait',
  'succeeded',
  'failed_terminal',
  'dead_letter',
  'suppressed',
] as const;

/** How a run stands. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** How an attempt ended. */
export const ATTEMPT_OUTCOMES = ['succeeded', 'accepted', 'retry', 'failed', 'lost'] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** What a commit is handed on by: sent back with what follows from a delivery, it joins its trace. */
export const TRACE_HEADER = 'x-cairn-trace';
export const TRACE_DEPTH_MAX = 16;
