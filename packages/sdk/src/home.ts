/** The repository that something belongs to; null where it belongs to the organization itself. */
export type HomeName = string | null;

interface Home {
  readonly orgName: string;
  readonly repoName?: string;
}

export function homeOf(orgName: string, repoName: HomeName): Home {
  return repoName === null ? { orgName } : { orgName, repoName };
}
