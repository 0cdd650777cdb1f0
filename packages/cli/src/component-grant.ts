// What installing a component gives it, in words that a person can decide by.
import type { Manifest } from '@cairn/protocol/manifest';
import type { Resolution } from '@cairn/sdk';
import type { RepoName } from './repo-name.ts';
import { oneLine } from './shown.ts';

/** Lines such as `reads  Text`; what the component does not ask for has none. */
export function grantedText(component: string, repo: RepoName, { manifest, version, needs }: Resolution): string {
  const {
    runtimeAccess,
    shapes = [],
    credentials = [],
    subscriptions = [],
    seeds = [],
  } = manifest as Partial<Manifest>;
  const rows: [string, readonly string[]][] = [
    ['needs of you', needs],
    ['it reads', runtimeAccess?.reads ?? []],
    ['it writes', runtimeAccess?.writes ?? []],
    ['it is told of', subscriptions.map(toldOf)],
    ['shapes', shapes.map(({ name }) => name)],
    ['credential sets', credentials.map(keysOf)],
    ['first records', seeds.map(({ shape, name }) => `${shape}/${name}`)],
  ];
  const lines = rows
    .filter(([, values]) => values.length > 0)
    .map(([label, values]) => `  ${label.padEnd(15)}  ${oneLine(placed(values.join(', '), repo))}`);
  return [`${component} ${version} is given in this repository:`, ...lines].join('\n');
}

/** Names stand as they will be called in the repository. */
function placed(text: string, { orgName, repoName }: RepoName): string {
  return text.replaceAll('<org-name>', () => orgName).replaceAll('<repo-name>', () => repoName);
}

function toldOf({ name, trigger, webhookUrl }: Manifest['subscriptions'][number]): string {
  const { event, shape, filter } = trigger;
  const what = event ?? [shape, filter && JSON.stringify(filter)].filter(Boolean).join(' ');
  const setup = 'an address that its setup gives';
  return `${what || 'commits'} at ${URL.parse(webhookUrl)?.origin ?? setup} (subscription ${name})`;
}

function keysOf({ name, requiredKeys = [] }: Manifest['credentials'][number]): string {
  return requiredKeys.length === 0 ? name : `${name} (${requiredKeys.map(({ key }) => key).join(' ')})`;
}
