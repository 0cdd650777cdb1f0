// Where a subscription, a credential set or a run belongs: a repository, or an organization itself, whose rows lie under
// minus its id.
export type Home = { readonly repoId: number } | { readonly orgId: number };

export function homeIdOf(home: Home): number {
  return 'repoId' in home ? home.repoId : -home.orgId;
}

export function homeOf(homeId: number): Home {
  return homeId > 0 ? { repoId: homeId } : { orgId: -homeId };
}
