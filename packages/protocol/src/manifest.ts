// What a component says of itself: what it brings to a repository, what it asks for, and which commands it answers. Fields
// that are not known here are kept, so that a manifest written for another host installs too; what does not fit together
// though each part is well formed is found by manifest-check.ts.
import { z } from 'zod';
import { credentialKey } from './credential.ts';
import { SCOPE_NAMES, type Scope } from './scopes.ts';
import { subscriptionFilter } from './subscription.ts';
import { REPOSITORY_EVENTS } from './subscription-event.ts';

const RESOURCES_MAX = 100;
const ARGUMENTS_MAX = 50;
const TEXT_MAX = 2_000;
const URL_CHARACTERS_MAX = 2_048;

/** The official pattern of semver.org, in full: no range, no `v` before it. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

export const componentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'not a name of a component: 1 to 64 of a-z, 0-9 and -, beginning with a letter');

const componentId = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)+$/,
    'not an id of a component: a domain written backwards and a name, such as com.acme.Thing',
  );

export const componentVersion = z
  .string()
  .max(100)
  .regex(SEMVER, 'not a version: three numbers as semver.org has them, such as 1.0.0');

const text = z.string().max(TEXT_MAX);
/** May hold `<org-name>` and `<repo-name>`, which stand for the repository that it is installed in. */
const templateName = z.string().min(1).max(512);
const url = z.string().min(1).max(URL_CHARACTERS_MAX);
const list = <Item extends z.ZodType>(item: Item, max = RESOURCES_MAX) => z.array(item).max(max).default([]);

/** By default the install makes a resource; `setup` leaves it to the setup endpoint. */
const provisioning = z
  .enum(['install', 'setup'])
  .default('install')
  .describe("Who makes it: the install, or the component's setup endpoint with its setup token.");

/** Taken as it is: a schema of its fields would lose a field named __proto__. */
const anyObject = z
  .custom<Record<string, unknown>>((data) => typeof data === 'object' && data !== null && !Array.isArray(data), {
    error: 'expected an object',
  })
  .meta({ type: 'object' });

const manifestShape = z.looseObject({
  name: templateName,
  // Checked by the server as a whole.
  fields: anyObject.describe('The whole field set, such as { "x": "number", "label?": "string" }.'),
  description: text.optional(),
  provisioning,
});

const manifestCredential = z.looseObject({
  name: templateName,
  description: text.optional(),
  provisioning,
  requiredKeys: list(z.looseObject({ key: credentialKey, description: text.optional() })),
});

const trigger = z.looseObject({
  kind: z.literal('event'),
  shape: templateName.optional().describe('Commits that touch records of this shape.'),
  filter: subscriptionFilter.optional().describe('As a subscription has it; what `shape` says must hold too.'),
  event: z.enum(REPOSITORY_EVENTS).optional().describe('Instead of a filter.'),
});

const manifestSubscription = z.looseObject({
  name: templateName,
  trigger,
  webhookUrl: url.describe('Of a subscription that setup makes also {setup-supplied:/path}.'),
  fallbackWebhookUrl: url.optional(),
  credentials: z
    .union([templateName.transform((name) => [name]), z.array(templateName).max(1)])
    .default([])
    .describe('The credential set that deliveries are signed with; at most one.'),
  allowTraceReentry: z.boolean().default(false),
  provisioning,
});

const manifestSeed = z.looseObject({
  kind: z.literal('thing').default('thing'),
  shape: templateName,
  name: templateName.describe('Without the shape: `a` of the shape Signal is Signal/a.'),
  data: anyObject,
});

const health = z.looseObject({
  requires: z
    .looseObject({ shapes: list(templateName), things: list(templateName), subscriptions: list(templateName) })
    .optional(),
});

const ending = z.enum(['pause', 'delete']).default('pause');
const teardown = z.looseObject({
  subscriptions: z.looseObject({ onDisable: ending, onUninstall: ending }).optional(),
});

const access = list(templateName).describe('Shapes by name, or globs over full names, such as Signal/**.');
const runtimeAccess = z.looseObject({ reads: access, writes: access });

const REPOSITORY_SCOPES = SCOPE_NAMES.filter((scope) => scope.startsWith('repo:')) as [Scope, ...Scope[]];

export const ARGUMENT_TYPES = ['string', 'number', 'integer', 'boolean'] as const;
const scalar = z.union([z.string().max(TEXT_MAX), z.number(), z.boolean()]);
const identifier = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected 1 to 64 of A-Z, a-z, 0-9, _ and -, beginning with a letter');

const methodArgument = z.looseObject({
  name: identifier,
  type: z.enum(ARGUMENT_TYPES),
  required: z.boolean().default(false),
  default: scalar.optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  enum: z.array(scalar).min(1).max(RESOURCES_MAX).optional(),
  description: text.optional(),
});

const cliMethod = z.looseObject({
  name: identifier,
  description: text.optional(),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).describe('The verb of the request.'),
  path: z
    .string()
    .max(URL_CHARACTERS_MAX)
    .regex(/^\/[^\s?#\\]*$/, 'expected a path that begins with /, without query or fragment')
    .optional()
    .describe('Behind cliBaseUrl; by default the name of the method.'),
  credentialSet: templateName.describe('Holds CLI_SIGNING_SECRET, which the request is signed with.'),
  requiresPermission: z.enum(REPOSITORY_SCOPES).optional().describe('What the caller needs besides repo:read.'),
  args: list(methodArgument, ARGUMENTS_MAX),
});

const cli = z.looseObject({ description: text.optional(), methods: list(cliMethod) });

export const manifest = z.looseObject({
  $schema: z.string().optional(),
  component: z.looseObject({
    id: componentId,
    name: componentName,
    version: componentVersion,
    description: text.optional(),
  }),
  shapes: list(manifestShape),
  credentials: list(manifestCredential),
  subscriptions: list(manifestSubscription),
  seeds: list(manifestSeed, 1_000),
  health: health.optional(),
  teardown: teardown.optional(),
  runtimeAccess: runtimeAccess.optional(),
  cli: cli.optional(),
  actions: z.unknown().optional().describe('Read by other hosts; of no meaning here.'),
});

/** With its defaults filled in. What is stored, hashed and given out is the manifest as it was sent. */
export type Manifest = z.output<typeof manifest>;
export type ManifestShape = z.output<typeof manifestShape>;
export type ManifestCredential = z.output<typeof manifestCredential>;
export type ManifestSubscription = z.output<typeof manifestSubscription>;
export type ManifestSeed = z.output<typeof manifestSeed>;
export type CliMethod = z.output<typeof cliMethod>;
export type MethodArgument = z.output<typeof methodArgument>;
