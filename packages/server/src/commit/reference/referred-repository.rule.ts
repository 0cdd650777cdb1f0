// The repositories that operations may lead to: every text in them that could be such a wref is looked at.
import type { DurableIdParts } from '../../model/durable-id.ts';
import { repositoryIn } from '../../model/wref.ts';
import type { RepositoryAddress } from '../../repository/repository.sql.ts';

/** What of a wref tells its repository. */
export type RepositoryPlace = Pick<DurableIdParts, 'repoId'> | RepositoryAddress;

/** Each once. */
export function repositoriesIn(content: unknown): RepositoryPlace[] {
  const found = new Map<string, RepositoryPlace>();
  collect(content, found);
  return [...found.values()];
}

function keyOf(place: RepositoryPlace): string {
  return 'repoId' in place ? String(place.repoId) : `${place.orgName}/${place.repoName}`;
}

function collect(value: unknown, found: Map<string, RepositoryPlace>): void {
  if (typeof value === 'string') {
    const place = repositoryIn(value);
    if (place === undefined) return;
    const bare = 'repoId' in place ? { repoId: place.repoId } : place;
    found.set(keyOf(bare), bare);
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Array.isArray(value) ? value : Object.values(value)) collect(member, found);
  }
}
