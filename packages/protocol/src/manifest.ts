// A component's manifest: its contributions to a repository, its requirements, and its commands. Unknown fields are
// kept, so that a manifest written for another host installs too. Checks across well-formed parts are in
// manifest/consistency.ts.
import { z } from 'zod';
import { SCOPE_NAMES, type Scope } from './scopes.ts';
import { credentialKey, subscriptionFilter } from './subscription.ts';
import { REPOSITORY_EVENTS } from './vocabulary.ts';

const RESOURCES_MAX = 100;
const ARGUMENTS_MAX = 50;
const TEXT_MAX = 2_000;
const URL_CHARACTERS_MAX = 2_048;

/** The official semver.org pattern in full: no range, no leading `v`. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;

export const componentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'expected a component name: 1 to 64 of a-z, 0-9 and -, the first a letter');

const componentId = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)+$/,
    'expected a component id: a reversed domain and a name, such as com.acme.Thing',
  );

export const componentVersion = z.string().max(100).regex(SEMVER, 'expected a semantic version, such as 1.0.0');

const boundedText = z.string().max(TEXT_MAX);
/** May hold `<org-name>` and `<repo-name>`, which stand for the target repository. */
const templateName = z.string().min(1).max(512);
const url = z.string().min(1).max(URL_CHARACTERS_MAX);
const list = <Item extends z.ZodType>(item: Item, max = RESOURCES_MAX) => z.array(item).max(max).default([]);

/** By default the installation makes a resource; `setup` leaves it to the setup endpoint. */
const provisioning = z
  .enum(['install', 'setup'])
  .default('install')
  .describe('Creator of the resource: the install, or the setup endpoint of the component with its setup token.');

/** Taken unchanged: a schema of its fields would lose a field named __proto__. */
const anyObject = z
  .custom<Record<string, unknown>>((data) => typeof data === 'object' && data !== null && !Array.isArray(data), {
    error: 'expected an object',
  })
  .meta({ type: 'object' });

const manifestShape = z.looseObject({
  name: templateName.describe('Name of the shape.'),
  // Checked by the server as a whole.
  fields: anyObject.describe('The whole field set, such as { "x": "number", "label?": "string" }.'),
  description: boundedText.optional().describe('Description of the shape.'),
  provisioning,
});

const manifestCredential = z.looseObject({
  name: templateName.describe('Name of the credential set.'),
  description: boundedText.optional().describe('Purpose of the credential set.'),
  provisioning,
  requiredKeys: list(
    z.looseObject({
      key: credentialKey.describe('Name of the key, such as WEBHOOK_SIGNING_SECRET.'),
      description: boundedText.optional().describe('The value that people should set.'),
    }),
  ).describe('Keys that the doctor checks.'),
});

const trigger = z.looseObject({
  kind: z.literal('event').describe('The only kind.'),
  shape: templateName.optional().describe('Matches commits that touch records of this shape.'),
  filter: subscriptionFilter.optional().describe('A subscription filter; `shape` must match too.'),
  event: z.enum(REPOSITORY_EVENTS).optional().describe('Replaces shape and filter.'),
});

const manifestSubscription = z.looseObject({
  name: templateName.describe('Name of the subscription.'),
  trigger: trigger.describe('A shape, a filter or both, or an event.'),
  webhookUrl: url.describe('Target of deliveries. A subscription that setup creates may use {setup-supplied:/path}.'),
  fallbackWebhookUrl: url.optional().describe('Called once for each delivery that failed for good.'),
  credentials: z
    .union([templateName.transform((name) => [name]), z.array(templateName).max(1)])
    .default([])
    .describe('The credential set that signs deliveries; at most one.'),
  allowTraceReentry: z
    .boolean()
    .default(false)
    .describe('True to match commits that follow from its own deliveries, too.'),
  provisioning,
});

const manifestSeed = z.looseObject({
  kind: z.literal('thing').default('thing').describe('The only kind.'),
  shape: templateName.describe('Shape of the record.'),
  name: templateName.describe('Name without the shape: `a` of the shape Signal is Signal/a.'),
  data: anyObject.describe('Data of the record, which must fit its shape.'),
});

const health = z.looseObject({
  requires: z
    .looseObject({
      shapes: list(templateName).describe('Shapes that must exist.'),
      things: list(templateName).describe('Records that must exist, by full name.'),
      subscriptions: list(templateName).describe('Subscriptions that must exist.'),
    })
    .optional()
    .describe('Requirements besides its own resources.'),
});

const ending = z.enum(['pause', 'delete']).default('pause');
const teardown = z.looseObject({
  subscriptions: z
    .looseObject({
      onDisable: ending.describe('Effect of a pause.'),
      onUninstall: ending.describe('Effect of a teardown.'),
    })
    .optional()
    .describe('Applies to all its subscriptions.'),
});

const access = list(templateName).describe('Shapes by name, or globs over full names, such as Signal/**.');
const runtimeAccess = z.looseObject({ reads: access, writes: access });

const REPOSITORY_SCOPES = SCOPE_NAMES.filter((scope) => scope.startsWith('repo:')) as [Scope, ...Scope[]];

const ARGUMENT_TYPES = ['string', 'number', 'integer', 'boolean'] as const;
const scalar = z.union([z.string().max(TEXT_MAX), z.number(), z.boolean()]);
const identifier = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected 1 to 64 of A-Z, a-z, 0-9, _ and -, the first a letter');

const methodArgument = z.looseObject({
  name: identifier.describe('Name of the argument, passed as --NAME VALUE.'),
  type: z.enum(ARGUMENT_TYPES).describe('Type of the value.'),
  required: z.boolean().default(false).describe('True if the argument must be given.'),
  default: scalar.optional().describe('Value if the argument is not given.'),
  min: z.number().optional().describe('Minimum of a number.'),
  max: z.number().optional().describe('Maximum of a number.'),
  enum: z.array(scalar).min(1).max(RESOURCES_MAX).optional().describe('Allowed values.'),
  description: boundedText.optional().describe('Shown by --help.'),
});

const cliMethod = z.looseObject({
  name: identifier.describe('Name of the command.'),
  description: boundedText.optional().describe('Shown by --help.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).describe('HTTP method of the request.'),
  path: z
    .string()
    .max(URL_CHARACTERS_MAX)
    .regex(/^\/[^\s?#\\]*$/, 'expected a path that starts with /, without query or fragment')
    .optional()
    .describe('Path after cliBaseUrl. By default the name of the method.'),
  credentialSet: templateName.describe('Credential set with CLI_SIGNING_SECRET, which signs the request.'),
  requiresPermission: z.enum(REPOSITORY_SCOPES).optional().describe('Needed by the caller besides repo:read.'),
  args: list(methodArgument, ARGUMENTS_MAX).describe('Arguments of the command.'),
});

const cli = z.looseObject({
  description: boundedText.optional().describe('Shown by --help.'),
  methods: list(cliMethod).describe('The commands.'),
});

export const manifest = z.looseObject({
  $schema: z.string().optional().describe('The address of the JSON Schema, for editors.'),
  component: z.looseObject({
    id: componentId.describe('A reversed domain and a name, such as com.acme.Thing. It never changes.'),
    name: componentName.describe('Name in the registry: 1 to 64 of a-z, 0-9 and -, the first a letter.'),
    version: componentVersion.describe('A semantic version, such as 1.0.0.'),
    description: boundedText.optional().describe('Shown in the registry.'),
  }),
  shapes: list(manifestShape).describe('Shapes of the component. Only the component can change them.'),
  credentials: list(manifestCredential).describe('Credential sets that it needs.'),
  subscriptions: list(manifestSubscription).describe('Subscriptions of the component.'),
  seeds: list(manifestSeed, 1_000).describe('Records that are added once. Later changes by people are kept.'),
  health: health.optional().describe('Requirements that the doctor checks.'),
  teardown: teardown.optional().describe('Effect of a pause and of a teardown on its subscriptions.'),
  runtimeAccess: runtimeAccess.optional().describe('Records that its runtime token may read and write.'),
  cli: cli.optional().describe('Commands of the component, called as `cairn COMPONENT METHOD`.'),
  actions: z.unknown().optional().describe('For other hosts; has no meaning here.'),
});

/** The manifest with its defaults filled in. The stored, hashed and returned manifest is the one that was sent. */
export type Manifest = z.output<typeof manifest>;
export type ManifestShape = z.output<typeof manifestShape>;
export type ManifestSubscription = z.output<typeof manifestSubscription>;
export type ManifestSeed = z.output<typeof manifestSeed>;
export type CliMethod = z.output<typeof cliMethod>;
export type MethodArgument = z.output<typeof methodArgument>;

export function manifestSchema(publicUrl: string): Record<string, unknown> {
  return {
    ...z.toJSONSchema(manifest, { io: 'input', unrepresentable: 'any' }),
    $id: `${publicUrl}/docs/component-manifest.json`,
    title: 'Manifest of a Cairn component',
  };
}
