// Subscriptions and credential sets on the wire. A subscription selects commits and their receiver; a credential set
// holds the named secrets that deliveries are sent with. Secret values go in, but never out.
import { z } from 'zod';
import { CREDENTIAL_SET_NAME, SUBSCRIPTION_NAME } from './names.ts';
import { description, orgAddress, repoAddress, repositoryName } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { ORGANIZATION_EVENTS, RECORD_KINDS, REPOSITORY_EVENTS } from './vocabulary.ts';

/** The owner of a subscription or a credential set: a repository, or without one the organization. */
export const homeAddress = {
  ...orgAddress,
  repoName: repositoryName.optional().describe('By default the organization itself.'),
};

const KEYS_MAX = 50;
const VALUE_CHARACTERS_MAX = 8_192;

export const credentialSetName = z
  .string()
  .regex(CREDENTIAL_SET_NAME, 'expected a credential set name: 1 to 100 of A-Z, a-z, 0-9, ., _ and -');

export const credentialKey = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'expected a key: 1 to 100 of A-Z, 0-9 and _, such as WEBHOOK_SIGNING_SECRET');

export const credentialSet = z.object({
  orgName: z.string(),
  repoName: z.string().optional(),
  name: z.string(),
  description: z.string(),
  keys: z.array(z.object({ key: z.string(), setAt: z.int(), setBy: z.string() })).describe('Without their values.'),
  boundOrigin: z.string().optional().describe('The origin of its first use. The values are sent only there.'),
  boundFallbackOrigin: z.string().optional().describe('The same for keys that start with FALLBACK_.'),
  unboundAt: z
    .int()
    .optional()
    .describe('Set when another origin was about to use it: nothing is sent until you set its keys again.'),
  revokedAt: z.int().optional().describe('The time of the revocation. Nothing is sent with it any more.'),
  component: z.string().optional().describe('The component that created it.'),
  createdBy: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
});

/** A credential set, with the names of its keys but not their values. */
export type CredentialSet = z.infer<typeof credentialSet>;

export const credentialList = z.strictObject({ ...homeAddress, ...pageInput });
export const credentialPage = pageOf(credentialSet);
export const credentialAddress = z.strictObject({ ...homeAddress, name: credentialSetName });
export const credentialCreation = z.strictObject({
  ...homeAddress,
  name: credentialSetName,
  description: description.default(''),
});
export const credentialKeys = z.strictObject({
  ...homeAddress,
  name: credentialSetName,
  keys: z
    .record(credentialKey, z.string().min(1).max(VALUE_CHARACTERS_MAX))
    .refine((keys) => Object.keys(keys).length > 0, 'give at least one key')
    .refine((keys) => Object.keys(keys).length <= KEYS_MAX, `a set has at most ${KEYS_MAX} keys`),
});
export const credentialKeyRemoval = z.strictObject({ ...homeAddress, name: credentialSetName, key: credentialKey });

const credentialEvent = z.object({
  at: z.int(),
  action: z.enum(['create', 'setKeys', 'unsetKey', 'revoke', 'delete', 'bind', 'unbind', 'use']),
  actor: z.string().describe('As in the audit log; for a use, `subscription:NAME`.'),
  details: z.record(z.string(), z.unknown()).describe('The names of keys; for a use, the origin and the run.'),
});

/** An event in the history of a credential set. */
export type CredentialEvent = z.infer<typeof credentialEvent>;

export const credentialAuditPage = pageOf(credentialEvent);
export const credentialAuditList = z.strictObject({ ...homeAddress, name: credentialSetName, ...pageInput });

const CHOICES_MAX = 100;
const PARTS_MAX = 20;
const URL_CHARACTERS_MAX = 2_048;

const oneOrMore = <Choice extends z.ZodType>(choice: Choice) =>
  z.union([choice, z.array(choice).min(1).max(CHOICES_MAX)]);

const someText = z.string().min(1).max(1_024);

const predicates = {
  operation: oneOrMore(z.enum(['add', 'revise', 'retract', 'rename'])).optional(),
  kind: oneOrMore(z.enum(RECORD_KINDS)).optional(),
  shape: oneOrMore(someText)
    .optional()
    .describe('Names of shapes. They are stored by identity, so a renamed shape still matches.'),
  name: oneOrMore(someText).optional().describe('Full names, such as Signal/a.'),
  match: oneOrMore(someText).optional().describe('Globs over full names, such as Signal/**.'),
};

type Choices<Choice> = Choice | Choice[] | undefined;

/** A condition on the operations that a subscription matches. */
export interface SubscriptionFilter {
  operation?: Choices<'add' | 'revise' | 'retract' | 'rename'>;
  kind?: Choices<(typeof RECORD_KINDS)[number]>;
  shape?: Choices<string>;
  name?: Choices<string>;
  match?: Choices<string>;
  all?: SubscriptionFilter[] | undefined;
  any?: SubscriptionFilter[] | undefined;
  not?: SubscriptionFilter | undefined;
}

/** All properties of an object must hold; an empty object matches everything. */
export const subscriptionFilter: z.ZodType<SubscriptionFilter> = z.lazy(() =>
  z.strictObject({
    ...predicates,
    all: z.array(subscriptionFilter).min(1).max(PARTS_MAX).optional(),
    any: z.array(subscriptionFilter).min(1).max(PARTS_MAX).optional(),
    not: subscriptionFilter.optional(),
  }),
);

const event = z.enum([...new Set([...REPOSITORY_EVENTS, ...ORGANIZATION_EVENTS])]);

export const subscriptionName = z
  .string()
  .regex(SUBSCRIPTION_NAME, 'expected a subscription name: 1 to 100 of A-Z, a-z, 0-9, ., _ and -');

const webhookUrl = z.string().min(1).max(URL_CHARACTERS_MAX);
const source = z
  .string()
  .max(140)
  .regex(/^[^/\s\p{Cc}\p{Cs}]+\/[^/\s\p{Cc}\p{Cs}]+$/u, 'expected a repository as org/repo');

export const subscription = z.object({
  orgName: z.string(),
  repoName: z.string().optional().describe('Absent if it belongs to the organization.'),
  name: z.string(),
  filter: subscriptionFilter.optional(),
  event: z.string().optional(),
  webhookOrigin: z.string().describe('The target of deliveries without its secret parts: https://host/***.'),
  fallbackWebhookOrigin: z.string().optional(),
  credentialSet: z.string().optional(),
  source: z.string().optional().describe('The repository whose commits it matches, if that is another one.'),
  allowTraceReentry: z.boolean(),
  active: z.boolean(),
  pausedReason: z.string().optional().describe('The reason, if the server paused it.'),
  component: z.string().optional().describe('The component that created it.'),
  createdBy: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
});

/** A subscription, without the parts of its URLs that may be secret. */
export type Subscription = z.infer<typeof subscription>;

export const subscriptionList = z.strictObject({ ...homeAddress, ...pageInput });
export const subscriptionPage = pageOf(subscription);
export const subscriptionAddress = z.strictObject({ ...homeAddress, name: subscriptionName });

export const subscriptionPreviewing = z.strictObject({
  ...repoAddress,
  filter: subscriptionFilter,
  source: source.optional().describe('Another repository of the same organization, whose operations are matched.'),
});

const previewedOperation = z.object({
  repoSeq: z.int(),
  opIndex: z.int(),
  operation: z.string(),
  kind: z.enum(RECORD_KINDS),
  name: z.string().describe('The full name right after the operation.'),
  from: z.string().optional().describe('The name before a rename.'),
  matches: z.boolean().describe('True if a subscription with this filter would have matched.'),
});

/** A past operation, and whether a filter matches it. */
export type PreviewedOperation = z.infer<typeof previewedOperation>;

export const subscriptionPreview = z.object({ items: z.array(previewedOperation) });

export const subscriptionCreation = z
  .strictObject({
    ...homeAddress,
    name: subscriptionName,
    filter: subscriptionFilter.optional(),
    event: event.optional(),
    webhookUrl,
    fallbackWebhookUrl: webhookUrl.optional(),
    credentialSet: credentialSetName.optional(),
    source: source.optional().describe('Another repository of the same organization, whose commits are matched.'),
    allowTraceReentry: z.boolean().default(false),
  })
  .refine(({ filter, event }) => (filter === undefined) !== (event === undefined), 'give either a filter or an event');

export const subscriptionUpdate = z
  .strictObject({
    ...homeAddress,
    name: subscriptionName,
    newName: subscriptionName.optional(),
    filter: subscriptionFilter.optional().describe('Replaces the current filter or event.'),
    event: event.optional().describe('Replaces the current filter or event.'),
    webhookUrl: webhookUrl.optional(),
    fallbackWebhookUrl: webhookUrl.nullable().optional().describe('null removes it.'),
    allowTraceReentry: z.boolean().optional(),
  })
  .refine(({ filter, event }) => filter === undefined || event === undefined, 'give either a filter or an event');

export const subscriptionBinding = z.strictObject({
  ...homeAddress,
  name: subscriptionName,
  credentialSet: credentialSetName,
});

export const revealedSubscription = z.object({
  name: z.string(),
  webhookUrl: z.string(),
  fallbackWebhookUrl: z.string().optional(),
});

export const subscriptionTest = z.object({
  outcome: z.enum(['succeeded', 'accepted', 'retry', 'failed']),
  httpStatus: z.int().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  durationMs: z.number(),
  responseSnippet: z.string().optional(),
});

/** The outcome of a test delivery. */
export type SubscriptionTest = z.infer<typeof subscriptionTest>;
