// Manifests for tests: one that uses every feature, and a minimal one.

/** Parsed JSON. Tests modify copies of it freely. */
// biome-ignore lint/suspicious/noExplicitAny: what is changed may be anything.
export type ManifestJson = Record<string, any>;

export interface SampleManifest {
  readonly name?: string;
  readonly version?: string;
  readonly origin?: string;
}

export function fullManifest({
  name = 'signals',
  version = '1.0.0',
  origin = 'https://signals.example.com',
}: SampleManifest = {}): ManifestJson {
  return {
    $schema: 'https://cairn.example.com/docs/component-manifest.json',
    component: { id: `com.acme.${name}`, name, version, description: 'Counts signals.' },
    shapes: [
      {
        name: 'Reading',
        description: 'What a sensor said.',
        fields: {
          value: { type: 'number', minimum: 0, indexed: true },
          'unit?': { type: 'string', enum: ['C', 'F'] },
          'tags?': ['string'],
          'place?': { x: 'number', y: 'number' },
        },
      },
      { name: 'Total', fields: { count: 'number', 'of?': { type: 'wref', shape: 'Reading' } } },
      { name: 'Report', fields: { text: 'string' }, provisioning: 'setup' },
    ],
    credentials: [
      {
        name: 'signals-webhook',
        description: 'Signs deliveries.',
        requiredKeys: [{ key: 'WEBHOOK_SIGNING_SECRET', description: 'Of the receiver.' }],
      },
      { name: 'signals-cli-<repo-name>', requiredKeys: [{ key: 'CLI_SIGNING_SECRET' }] },
      { name: 'signals-setup', provisioning: 'setup', requiredKeys: [] },
    ],
    subscriptions: [
      {
        name: 'count-<org-name>',
        trigger: { kind: 'event', shape: 'Reading', filter: { operation: ['add', 'revise'], match: 'Reading/**' } },
        webhookUrl: `${origin}/hooks/<org-name>/<repo-name>`,
        fallbackWebhookUrl: `${origin}/failed`,
        credentials: ['signals-webhook'],
      },
      {
        name: 'renames',
        trigger: { kind: 'event', event: 'thing.renamed' },
        webhookUrl: `${origin}/renames`,
        credentials: 'signals-webhook',
        allowTraceReentry: true,
      },
      {
        name: 'report',
        trigger: { kind: 'event', filter: { any: [{ shape: 'Report' }, { not: { kind: 'thing' } }] } },
        webhookUrl: '{setup-supplied:/hooks/report}',
        credentials: ['signals-setup'],
        provisioning: 'setup',
      },
    ],
    seeds: [
      { kind: 'thing', shape: 'Total', name: 'all', data: { count: 0 } },
      {
        shape: 'Reading',
        name: 'first/<repo-name>',
        data: { value: 1, unit: 'C', tags: ['a'], place: { x: 1, y: 2 } },
      },
    ],
    health: { requires: { shapes: ['Reading', 'Report'], things: ['Total/all'], subscriptions: ['renames'] } },
    teardown: { subscriptions: { onDisable: 'pause', onUninstall: 'delete' } },
    runtimeAccess: { reads: ['Reading', 'Total/**'], writes: ['Total', 'Report/*'] },
    cli: {
      description: 'Asks the counter.',
      methods: [
        {
          name: 'count',
          description: 'How many there are.',
          method: 'GET',
          path: '/cli/count',
          credentialSet: 'signals-cli-<repo-name>',
          args: [
            { name: 'unit', type: 'string', enum: ['C', 'F'], default: 'C', description: 'In which unit.' },
            { name: 'limit', type: 'integer', min: 1, max: 100, default: 10 },
            { name: 'above', type: 'number', min: -1.5, max: 1.5 },
            { name: 'exact', type: 'boolean', default: false },
          ],
        },
        {
          name: 'reset',
          method: 'POST',
          credentialSet: 'signals-cli-<repo-name>',
          requiresPermission: 'repo:write',
          args: [{ name: 'reason', type: 'string', required: true }],
        },
      ],
    },
    actions: [{ kind: 'of-another-host' }],
  };
}

export function smallManifest({ name = 'small', version = '1.0.0' }: SampleManifest = {}): ManifestJson {
  return { component: { id: `com.acme.${name}`, name, version } };
}
