// A manifest is written once and installed in many repositories: its names may hold `<org-name>` and `<repo-name>`, which
// stand for the repository that it is installed in.
import type { Manifest } from '@cairn/protocol/manifest';

export interface InstallPlace {
  readonly orgName: string;
  readonly repoName: string;
}

/** The manifest as it is meant in one repository. The data of seeds stays as it is: it belongs to the author. */
export function expandManifest(manifest: Manifest, place: InstallPlace): Manifest {
  const { shapes, credentials, subscriptions, seeds, health, runtimeAccess, cli } = manifest;
  const expanded = expand({ shapes, credentials, subscriptions, health, runtimeAccess, cli }, place);
  const named = seeds.map(({ data, ...seed }) => ({ ...expand(seed, place), data }));
  return { ...manifest, ...expanded, seeds: named };
}

function expand<Value>(value: Value, place: InstallPlace): Value {
  if (typeof value === 'string') return expandText(value, place) as Value;
  if (Array.isArray(value)) return value.map((item) => expand(item, place)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner, place)])) as Value;
}

function expandText(text: string, { orgName, repoName }: InstallPlace): string {
  return text.replaceAll('<org-name>', () => orgName).replaceAll('<repo-name>', () => repoName);
}

const SETUP_SUPPLIED = /^\{setup-supplied:(\/.*)\}$/;

/** The path of an address that the setup endpoint supplies; `undefined` for one that the manifest has. */
export function suppliedPath(webhookUrl: string): string | undefined {
  return SETUP_SUPPLIED.exec(webhookUrl)?.[1];
}
