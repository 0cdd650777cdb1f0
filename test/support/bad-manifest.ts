// Manifests with one error each, derived from a valid one.
import { fullManifest, type ManifestJson } from './manifest.ts';

export interface BadManifest {
  readonly what: string;
  readonly path: string;
  readonly manifest: unknown;
}

type Change = (manifest: ManifestJson) => void;

const CHANGES: readonly [what: string, path: string, change: Change][] = [
  ['no component', 'component', (m) => delete m.component],
  ['a component that is a list', 'component', (m) => (m.component = [])],
  ['no id', 'component.id', (m) => delete m.component.id],
  ['an id without a dot', 'component.id', (m) => (m.component.id = 'signals')],
  ['an id with blanks', 'component.id', (m) => (m.component.id = 'com.acme.My Thing')],
  ['an id that is a number', 'component.id', (m) => (m.component.id = 7)],
  ['a name in capitals', 'component.name', (m) => (m.component.name = 'Signals')],
  ['another name than the registered one', 'component.name', (m) => (m.component.name = 'other')],
  ['a version with a v', 'component.version', (m) => (m.component.version = 'v1.0.0')],
  ['a version of two numbers', 'component.version', (m) => (m.component.version = '1.0')],
  ['a range for a version', 'component.version', (m) => (m.component.version = '^1.0.0')],
  ['shapes that are an object', 'shapes', (m) => (m.shapes = {})],
  ['too many shapes', 'shapes', (m) => (m.shapes = Array.from({ length: 101 }, () => m.shapes[0]))],
  ['a shape without a name', 'shapes.0.name', (m) => delete m.shapes[0].name],
  ['a shape named by a blank', 'shapes.0.name', (m) => (m.shapes[0].name = 'Two Words')],
  ['a shape with an unknown placeholder', 'shapes.1.name', (m) => (m.shapes[1].name = 'Total-<user>')],
  ['two shapes of one name', 'shapes.2.name', (m) => (m.shapes[2].name = 'Total')],
  ['a shape that every repository has', 'shapes.2.name', (m) => (m.shapes[2].name = 'Content')],
  ['a shape without fields', 'shapes.1.fields', (m) => delete m.shapes[1].fields],
  ['fields that are a list', 'shapes.1.fields', (m) => (m.shapes[1].fields = ['count'])],
  ['a field of an unknown type', 'shapes.1.fields.count', (m) => (m.shapes[1].fields.count = 'integer')],
  [
    'a pattern that is none',
    'shapes.2.fields.text.pattern',
    (m) => (m.shapes[2].fields.text = { type: 'string', pattern: '(' }),
  ],
  ['an unknown provisioning', 'shapes.2.provisioning', (m) => (m.shapes[2].provisioning = 'later')],
  ['a set with a slash in its name', 'credentials.0.name', (m) => (m.credentials[0].name = 'a/b')],
  ['two sets of one name', 'credentials.2.name', (m) => (m.credentials[2].name = 'signals-webhook')],
  [
    'a key in small letters',
    'credentials.0.requiredKeys.0.key',
    (m) => (m.credentials[0].requiredKeys[0].key = 'secret'),
  ],
  [
    'a key twice',
    'credentials.0.requiredKeys.1.key',
    (m) => m.credentials[0].requiredKeys.push({ key: 'WEBHOOK_SIGNING_SECRET' }),
  ],
  ['two subscriptions of one name', 'subscriptions.2.name', (m) => (m.subscriptions[2].name = 'renames')],
  [
    'a subscription with an unknown placeholder',
    'subscriptions.0.name',
    (m) => (m.subscriptions[0].name = 'on-{repo}'),
  ],
  ['a trigger of an unknown kind', 'subscriptions.0.trigger.kind', (m) => (m.subscriptions[0].trigger.kind = 'cron')],
  ['a trigger for nothing', 'subscriptions.0.trigger', (m) => (m.subscriptions[0].trigger = { kind: 'event' })],
  [
    'an event beside a shape',
    'subscriptions.0.trigger.event',
    (m) => (m.subscriptions[0].trigger.event = 'thing.renamed'),
  ],
  ['an unknown event', 'subscriptions.1.trigger.event', (m) => (m.subscriptions[1].trigger.event = 'repo.created')],
  ['an unknown predicate', 'subscriptions.0.trigger.filter', (m) => (m.subscriptions[0].trigger.filter.author = 'ada')],
  [
    'a filter with a glob that is none',
    'subscriptions.0.trigger.filter.match',
    (m) => (m.subscriptions[0].trigger.filter.match = 'a b'),
  ],
  [
    'a filter that is too deep',
    'subscriptions.0.trigger.filter.not.not.not.not.not.not.not.not',
    (m) => (m.subscriptions[0].trigger.filter = nested(10)),
  ],
  [
    'an operation that there is not',
    'subscriptions.0.trigger.filter.operation.1',
    (m) => (m.subscriptions[0].trigger.filter.operation[1] = 'delete'),
  ],
  [
    'a trigger that comes before its shape',
    'subscriptions.0.trigger.shape',
    (m) => (m.subscriptions[0].trigger.shape = 'Report'),
  ],
  ['an address that is relative', 'subscriptions.0.webhookUrl', (m) => (m.subscriptions[0].webhookUrl = '/hooks')],
  [
    'an address of another protocol',
    'subscriptions.0.webhookUrl',
    (m) => (m.subscriptions[0].webhookUrl = 'ftp://a.example/'),
  ],
  [
    'an address with a password',
    'subscriptions.0.webhookUrl',
    (m) => (m.subscriptions[0].webhookUrl = 'https://a:b@a.example/'),
  ],
  [
    'a host that depends on the repository',
    'subscriptions.0.webhookUrl',
    (m) => (m.subscriptions[0].webhookUrl = 'https://<org-name>.example/'),
  ],
  [
    'an address with an unknown placeholder',
    'subscriptions.0.webhookUrl',
    (m) => (m.subscriptions[0].webhookUrl = 'https://a.example/<user>'),
  ],
  [
    'an address from setup, without setup',
    'subscriptions.1.webhookUrl',
    (m) => (m.subscriptions[1].webhookUrl = '{setup-supplied:/a}'),
  ],
  [
    'an address from setup without a path',
    'subscriptions.2.webhookUrl',
    (m) => (m.subscriptions[2].webhookUrl = '{setup-supplied}'),
  ],
  [
    'a fallback address that is none',
    'subscriptions.0.fallbackWebhookUrl',
    (m) => (m.subscriptions[0].fallbackWebhookUrl = 'https://'),
  ],
  ['a set that is not declared', 'subscriptions.0.credentials', (m) => (m.subscriptions[0].credentials = ['none'])],
  [
    'two sets',
    'subscriptions.0.credentials',
    (m) => (m.subscriptions[0].credentials = ['signals-webhook', 'signals-setup']),
  ],
  [
    'a set that comes after its subscription',
    'subscriptions.0.credentials',
    (m) => (m.subscriptions[0].credentials = ['signals-setup']),
  ],
  ['a seed of a shape that is not declared', 'seeds.0.shape', (m) => (m.seeds[0].shape = 'None')],
  ['a seed of a shape that setup makes', 'seeds.0.shape', (m) => (m.seeds[0].shape = 'Report')],
  ['a seed that is no thing', 'seeds.0.kind', (m) => (m.seeds[0].kind = 'assertion')],
  ['a seed whose name holds a blank', 'seeds.0.name', (m) => (m.seeds[0].name = 'a b')],
  ['two seeds of one name', 'seeds.2.name', (m) => m.seeds.push(m.seeds[0])],
  ['a seed that does not fit its shape', 'seeds.0.data.count', (m) => (m.seeds[0].data.count = 'none')],
  ['a seed that leaves out what is required', 'seeds.1.data.value', (m) => delete m.seeds[1].data.value],
  ['a seed without data', 'seeds.0.data', (m) => delete m.seeds[0].data],
  ['health by an unknown shape', 'health.requires.shapes.1', (m) => (m.health.requires.shapes[1] = 'None')],
  ['health by an unknown thing', 'health.requires.things.0', (m) => (m.health.requires.things[0] = 'Total/none')],
  [
    'health by an unknown subscription',
    'health.requires.subscriptions.0',
    (m) => (m.health.requires.subscriptions[0] = 'none'),
  ],
  ['an unknown end', 'teardown.subscriptions.onUninstall', (m) => (m.teardown.subscriptions.onUninstall = 'keep')],
  ['reads by a glob that is none', 'runtimeAccess.reads.1', (m) => (m.runtimeAccess.reads[1] = 'a/*/b/*/c/*/d/*/e/*')],
  ['writes by a name that is none', 'runtimeAccess.writes.0', (m) => (m.runtimeAccess.writes[0] = '1st')],
  ['reads that are no list', 'runtimeAccess.reads', (m) => (m.runtimeAccess.reads = 'Reading')],
  ['two methods of one name', 'cli.methods.1.name', (m) => (m.cli.methods[1].name = 'count')],
  ['an unknown verb', 'cli.methods.0.method', (m) => (m.cli.methods[0].method = 'HEAD')],
  ['a path with a query', 'cli.methods.0.path', (m) => (m.cli.methods[0].path = '/count?a=1')],
  ['a path with a place for an argument', 'cli.methods.0.path', (m) => (m.cli.methods[0].path = '/count/{unit}')],
  [
    'a method with a set that is not declared',
    'cli.methods.0.credentialSet',
    (m) => (m.cli.methods[0].credentialSet = 'none'),
  ],
  [
    'a method with a set that cannot sign',
    'cli.methods.0.credentialSet',
    (m) => (m.cli.methods[0].credentialSet = 'signals-webhook'),
  ],
  [
    'a permission that there is not',
    'cli.methods.1.requiresPermission',
    (m) => (m.cli.methods[1].requiresPermission = 'org:admin'),
  ],
  ['an argument of an unknown type', 'cli.methods.0.args.0.type', (m) => (m.cli.methods[0].args[0].type = 'date')],
  ['two arguments of one name', 'cli.methods.0.args.1.name', (m) => (m.cli.methods[0].args[1].name = 'unit')],
  ['a default of another type', 'cli.methods.0.args.1.default', (m) => (m.cli.methods[0].args[1].default = 'ten')],
  ['a default that is no integer', 'cli.methods.0.args.1.default', (m) => (m.cli.methods[0].args[1].default = 1.5)],
  ['a default beyond the max', 'cli.methods.0.args.1.default', (m) => (m.cli.methods[0].args[1].default = 101)],
  ['a default that is no choice', 'cli.methods.0.args.0.default', (m) => (m.cli.methods[0].args[0].default = 'K')],
  ['a default of what is required', 'cli.methods.1.args.0.default', (m) => (m.cli.methods[1].args[0].default = 'none')],
  ['a min beyond the max', 'cli.methods.0.args.2.min', (m) => (m.cli.methods[0].args[2].min = 2)],
  ['a min of text', 'cli.methods.0.args.0.min', (m) => (m.cli.methods[0].args[0].min = 1)],
  ['a choice of another type', 'cli.methods.0.args.0.enum.1', (m) => (m.cli.methods[0].args[0].enum[1] = 2)],
];

function nested(levels: number): object {
  return levels === 1 ? { kind: 'thing' } : { not: nested(levels - 1) };
}

export const BAD_MANIFESTS: readonly BadManifest[] = CHANGES.map(([what, path, change]) => {
  const manifest = structuredClone(fullManifest());
  change(manifest);
  return { what, path, manifest };
});
