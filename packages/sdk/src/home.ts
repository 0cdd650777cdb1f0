import type { CallOptions } from './transport.ts';

/** The repository that something belongs to; null where it belongs to the organization itself. */
export type HomeName = string | null;

interface Home {
  readonly orgName: string;
  readonly repoName?: string;
}

export function homeOf(orgName: string, repoName: HomeName): Home {
  return repoName === null ? { orgName } : { orgName, repoName };
}

/** What is named within a home. */
export function atHome(orgName: string, repoName: HomeName, name: string, options?: CallOptions) {
  return { ...homeOf(orgName, repoName), name, ...options };
}
