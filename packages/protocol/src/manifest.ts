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

const boundedText = z.string().max(TEXT_MAX);
/** May hold `<org-name>` and `<repo-name>`, which stand for the target repository. */
const templateName = z.string().min(1).max(512);
const url = z.string().min(1).max(URL_CHARACTERS_MAX);
const list = <Item extends z.ZodType>(item: Item, max = RESOURCES_MAX) => z.array(item).max(max).default([]);

/** By default the installation makes a resource; `setup` leaves it to the setup endpoint. */
const provisioning = z
  .enum(['install', 'setup'])
  .default('install')
  .describe("Who makes it: the install, or the component's setup endpoint with its setup token.");

/** Taken unchanged: a schema of its fields would lose a field named __proto__. */
const anyObject = z
  .custom<Record<string, unknown>>((data) => typeof data === 'object' && data !== null && !Array.isArray(data), {
    error: 'expected an object',
  })
  .meta({ type: 'object' });

const manifestShape = z.looseObject({
  name: templateName.describe('Of the shape.'),
  // Checked by the server as a whole.
  fields: anyObject.describe('The whole field set, such as { "x": "number", "label?": "string" }.'),
  description: boundedText.optional().describe('Of the shape.'),
  provisioning,
});

const manifestCredential = z.looseObject({
  name: templateName.describe('Of the credential set.'),
  description: boundedText.optional().describe('What it is for.'),
  provisioning,
  requiredKeys: list(
    z.looseObject({
      key: credentialKey.describe('Such as WEBHOOK_SIGNING_SECRET.'),
      description: boundedText.optional().describe('What to put there.'),
    }),
  ).describe('Keys that the doctor looks for.'),
});

const trigger = z.looseObject({
  kind: z.literal('event').describe('The one kind that there is.'),
  shape: templateName.optional().describe('Commits that touch records of this shape.'),
  filter: subscriptionFilter.optional().describe('As a subscription has it; what `shape` says must hold too.'),
  event: z.enum(REPOSITORY_EVENTS).optional().describe('Instead of a filter.'),
});

const manifestSubscription = z.looseObject({
  name: templateName.describe('Of the subscription.'),
  trigger: trigger.describe('What it is told of: a shape, a filter or both, or an event.'),
  webhookUrl: url.describe('Where deliveries go. Of a subscription that setup makes also {setup-supplied:/path}.'),
  fallbackWebhookUrl: url.optional().describe('Told once of a delivery that failed for good.'),
  credentials: z
    .union([templateName.transform((name) => [name]), z.array(templateName).max(1)])
    .default([])
    .describe('The credential set that deliveries are signed with; at most one.'),
  allowTraceReentry: z
    .boolean()
    .default(false)
    .describe('Whether it is also told of what follows from its own deliveries.'),
  provisioning,
});

const manifestSeed = z.looseObject({
  kind: z.literal('thing').default('thing').describe('The one kind that there is.'),
  shape: templateName.describe('Of the record.'),
  name: templateName.describe('Without the shape: `a` of the shape Signal is Signal/a.'),
  data: anyObject.describe('Of the record, as its shape has it.'),
});

const health = z.looseObject({
  requires: z
    .looseObject({
      shapes: list(templateName).describe('Shapes that must be there.'),
      things: list(templateName).describe('Records that must be there, by full name.'),
      subscriptions: list(templateName).describe('Subscriptions that must be there.'),
    })
    .optional()
    .describe('Besides what it brings.'),
});

const ending = z.enum(['pause', 'delete']).default('pause');
const teardown = z.looseObject({
  subscriptions: z
    .looseObject({
      onDisable: ending.describe('When it is paused.'),
      onUninstall: ending.describe('When it is torn down.'),
    })
    .optional()
    .describe('Of all that it brought.'),
});

const access = list(templateName).describe('Shapes by name, or globs over full names, such as Signal/**.');
const runtimeAccess = z.looseObject({ reads: access, writes: access });

const REPOSITORY_SCOPES = SCOPE_NAMES.filter((scope) => scope.startsWith('repo:')) as [Scope, ...Scope[]];

const ARGUMENT_TYPES = ['string', 'number', 'integer', 'boolean'] as const;
const scalar = z.union([z.string().max(TEXT_MAX), z.number(), z.boolean()]);
const identifier = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected 1 to 64 of A-Z, a-z, 0-9, _ and -, beginning with a letter');

const methodArgument = z.looseObject({
  name: identifier.describe('Given as --NAME VALUE.'),
  type: z.enum(ARGUMENT_TYPES).describe('What it takes.'),
  required: z.boolean().default(false).describe('Whether it must be given.'),
  default: scalar.optional().describe('What it is where it is not given.'),
  min: z.number().optional().describe('The least that a number may be.'),
  max: z.number().optional().describe('The most that a number may be.'),
  enum: z.array(scalar).min(1).max(RESOURCES_MAX).optional().describe('The values that it takes.'),
  description: boundedText.optional().describe('Shown by --help.'),
});

const cliMethod = z.looseObject({
  name: identifier.describe('What the command is called.'),
  description: boundedText.optional().describe('Shown by --help.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).describe('The verb of the request.'),
  path: z
    .string()
    .max(URL_CHARACTERS_MAX)
    .regex(/^\/[^\s?#\\]*$/, 'expected a path that begins with /, without query or fragment')
    .optional()
    .describe('Behind cliBaseUrl; by default the name of the method.'),
  credentialSet: templateName.describe('Holds CLI_SIGNING_SECRET, which the request is signed with.'),
  requiresPermission: z.enum(REPOSITORY_SCOPES).optional().describe('What the caller needs besides repo:read.'),
  args: list(methodArgument, ARGUMENTS_MAX).describe('Its arguments.'),
});

const cli = z.looseObject({
  description: boundedText.optional().describe('Shown by --help.'),
  methods: list(cliMethod).describe('Each is a command.'),
});

export const manifest = z.looseObject({
  $schema: z.string().optional().describe('The address of the JSON Schema, for editors.'),
  component: z.looseObject({
    id: componentId.describe('A domain written backwards and a name, such as com.acme.Thing; it never changes.'),
    name: componentName.describe('As it is registered: 1 to 64 of a-z, 0-9 and -, beginning with a letter.'),
    version: componentVersion.describe('Three numbers as semver.org has them, such as 1.0.0.'),
    description: boundedText.optional().describe('Shown in the registry.'),
  }),
  shapes: list(manifestShape).describe('Shapes that it brings, and that change through it alone.'),
  credentials: list(manifestCredential).describe('Credential sets that it needs.'),
  subscriptions: list(manifestSubscription).describe('What it is told of, and where.'),
  seeds: list(manifestSeed, 1_000).describe('Records that are made once. What people do with them since stays.'),
  health: health.optional().describe('What the doctor looks for.'),
  teardown: teardown.optional().describe('What becomes of its subscriptions when it is paused, and when it ends.'),
  runtimeAccess: runtimeAccess.optional().describe('What its runtime token may read and write.'),
  cli: cli.optional().describe('Commands that it answers, as `cairn COMPONENT METHOD`.'),
  actions: z.unknown().optional().describe('Read by other hosts; of no meaning here.'),
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
    title: 'The manifest of a Cairn component',
  };
}
