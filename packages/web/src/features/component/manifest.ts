import type { Manifest } from '@cairn/protocol/manifest';
import { ADVICE } from '@cairn/protocol/vocabulary';
import type { Finding } from '@cairn/sdk';
import type { RepositoryName } from '../../app/sight.ts';

export interface ManifestRow {
  readonly what: string;
  readonly items: readonly string[];
}

export function rowsOf(manifest: Readonly<Record<string, unknown>>, place?: RepositoryName): ManifestRow[] {
  const { runtimeAccess, shapes, credentials, subscriptions, seeds, cli } = manifest as Partial<Manifest>;
  const rows: ManifestRow[] = [
    { what: 'Reads', items: runtimeAccess?.reads ?? [] },
    { what: 'Writes', items: runtimeAccess?.writes ?? [] },
    { what: 'Gets deliveries for', items: (subscriptions ?? []).map(toldOf) },
    { what: 'Adds shapes', items: (shapes ?? []).map(({ name, description }) => withNote(name, description)) },
    { what: 'Needs secrets', items: (credentials ?? []).map(keysOf) },
    { what: 'Adds records', items: (seeds ?? []).map(({ shape, name }) => `${shape}/${name}`) },
    {
      what: 'Adds commands',
      items: (cli?.methods ?? []).map(({ name, description }) => withNote(name, description)),
    },
  ];
  return rows
    .filter(({ items }) => items.length > 0)
    .map(({ what, items }) => ({ what, items: items.map((item) => placed(item, place)) }));
}

export function leftToSetup(manifest: Readonly<Record<string, unknown>>, place?: RepositoryName): string[] {
  const { shapes = [], credentials = [], subscriptions = [] } = manifest as Partial<Manifest>;
  const parts = [
    ...shapes.map((one) => ({ ...one, what: 'shape' })),
    ...credentials.map((one) => ({ ...one, what: 'credential set' })),
    ...subscriptions.map((one) => ({ ...one, what: 'subscription' })),
  ];
  return parts
    .filter(({ provisioning }) => provisioning === 'setup')
    .map(({ what, name }) => placed(`${what} ${name}`, place));
}

export function lacksSetupAlone(findings: readonly Finding[], left: readonly string[]): boolean {
  const wrong = findings.filter(({ code }) => !ADVICE.includes(code));
  return wrong.length > 0 && wrong.every(({ code, subject = '' }) => code === 'missing' && left.includes(subject));
}

const withNote = (name: string, note: string | undefined): string => (note === undefined ? name : `${name}: ${note}`);

function placed(text: string, place: RepositoryName | undefined): string {
  if (place === undefined) return text;
  return text.replaceAll('<org-name>', () => place.orgName).replaceAll('<repo-name>', () => place.repoName);
}

type Subscription = Manifest['subscriptions'][number];

function toldOf({ trigger, webhookUrl }: Subscription): string {
  const where = URL.parse(webhookUrl)?.origin ?? 'an address that its setup provides';
  return `${whatOf(trigger)}, at ${where}`;
}

function whatOf({ event, shape, filter }: Subscription['trigger']): string {
  if (event !== undefined) return event;
  const of = shape === undefined ? 'commits' : `commits that touch ${shape}`;
  return filter === undefined ? of : `${of} (${JSON.stringify(filter)})`;
}

const keysOf = ({ name, requiredKeys = [] }: Manifest['credentials'][number]): string =>
  requiredKeys.length === 0 ? name : `${name}: ${requiredKeys.map(({ key }) => key).join(', ')}`;
