// The vocabulary of the wire: kinds of records, orders, roles of members, events, statuses, states. Plain values
// without zod: the store's threads, the SDK and the CLI need them, and start much faster without it.

export const RECORD_KINDS = ['thing', 'assertion', 'shape', 'collection'] as const;
export const COLLECTION_TYPES = ['arc', 'bond', 'set', 'list', 'pair'] as const;

/** A leading minus sign means newest first. */
export const ORDERS = ['created', '-created', 'updated', '-updated', 'name'] as const;

/** The order of a list of records. */
export type Order = (typeof ORDERS)[number];

export const WHERE_OPS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'prefix', 'in', 'exists'] as const;

/** The operator of a condition. */
export type WhereOp = (typeof WHERE_OPS)[number];

/** The role of a record within a collection. */
export const MEMBER_ROLES = ['from', 'to', 'ends', 'members', 'items'] as const;

export const CONTENT_NAMES = ['readme', 'agents'] as const;

/** A text of a repository. */
export type ContentName = (typeof CONTENT_NAMES)[number];

/** Events of a repository, delivered to its subscriptions. */
export const REPOSITORY_EVENTS = ['thing.renamed', 'shape.renamed', 'repo.renamed'] as const;
/** Events of an organization's repositories, delivered to the organization's subscriptions. */
export const ORGANIZATION_EVENTS = ['repo.created', 'repo.renamed', 'repo.archived', 'repo.deleted'] as const;

type RepositoryEvent = (typeof REPOSITORY_EVENTS)[number];
export type OrganizationEvent = (typeof ORGANIZATION_EVENTS)[number];
/** An event that subscriptions can ask for, beside commits. */
export type SubscriptionEvent = RepositoryEvent | OrganizationEvent;

/** The reason for a delivery. */
export type DeliveryEvent = 'cairn.write' | 'cairn.retract' | 'cairn.test' | `cairn.${SubscriptionEvent}`;

/** The last four are final. */
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

/** The status of a run. */
export type RunStatus = (typeof RUN_STATUSES)[number];

export const ATTEMPT_OUTCOMES = ['succeeded', 'accepted', 'retry', 'failed', 'lost'] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Links a commit to the delivery that caused it: a receiver that sends the header back joins its trace. */
export const TRACE_HEADER = 'x-cairn-trace';
export const TRACE_DEPTH_MAX = 16;

export const INSTALL_STATES = {
  installing: 'The install was started, but not finished. Run it again.',
  ready: 'Everything that the manifest declares exists.',
  degraded: 'Something is missing or has failed. `component doctor` says what to do.',
  paused: 'Its tokens are refused, its subscriptions are paused, and its methods are not called.',
  error: 'The resources of the manifest could not be written; none of them was.',
  uninstalled: 'Torn down. Its data stays.',
} as const;

/** The state of an installed component. */
export type InstallState = keyof typeof INSTALL_STATES;

export const FINDINGS = {
  missing: 'A resource that the manifest declares is missing.',
  drifted: 'A resource differs from its declaration in the manifest.',
  'foreign-owned': 'A resource that the manifest declares has another owner.',
  'credential-keys-unset': 'Keys that the manifest requires are not set.',
  'setup-pending': 'The setup endpoint has not been called for this version yet.',
  'setup-failed': 'The setup endpoint did not complete.',
  'newer-version': 'A newer version is published.',
  unregistered: 'The component is no longer in the registry.',
} as const;

/** The kind of a finding. */
export type FindingCode = keyof typeof FINDINGS;

/** Findings that leave an install `ready`, because it still works as approved. */
export const ADVICE: readonly FindingCode[] = ['newer-version', 'unregistered'];

export const MINTED_TOKENS = ['setup', 'runtime'] as const;

// The shapes of every repository. The server writes them at first use, and callers cannot write them.

interface BuiltInShape {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly description: string;
}

const members = { type: 'array', items: 'wref' };

export const BUILT_IN_SHAPES: Readonly<Record<string, BuiltInShape>> = {
  Arc: { fields: { from: 'wref', to: 'wref' }, description: 'A directed connection of two records.' },
  Bond: { fields: { ends: { ...members, minItems: 2, maxItems: 2 } }, description: 'A connection without direction.' },
  Set: { fields: { members }, description: 'Records that belong together, in no order.' },
  List: { fields: { items: members }, description: 'Records in an order.' },
  Pair: { fields: { first: 'wref', second: 'wref' }, description: 'Two records; kept for old data.' },
  Content: { fields: { content: 'string' }, description: 'Text about the repository: Readme and Agents.' },
  LicenseSubject: { fields: { 'title?': 'string', 'url?': 'string' }, description: 'What a licence is declared for.' },
  LicenseDeclaration: { fields: { license: 'string', 'url?': 'string' }, description: 'A licence, by its SPDX id.' },
  ComponentInstall: {
    fields: { state: 'string', version: 'string', manifestHash: 'string', 'component?': 'string' },
    description: 'An installed component.',
  },
  ComponentConfig: {
    fields: { 'cliBaseUrl?': 'string', 'config?': 'json' },
    description: 'How an installed component is set up.',
  },
};
