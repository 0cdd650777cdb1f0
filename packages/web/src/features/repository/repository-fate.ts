// What became of a repository that is not there under its name any more. It is known by when it was made, which stays.
import type { Repository } from '@cairn/sdk';

export type Fate =
  | { readonly kind: 'renamed'; readonly orgName: string; readonly repoName: string }
  | { readonly kind: 'deleted'; readonly at: number }
  | { readonly kind: 'unknown' };

type Known = Pick<Repository, 'orgName' | 'name' | 'createdAt' | 'deletedAt'>;

/** Two that were made at one moment cannot be told apart. */
export function fateOf(createdAt: number, seen: readonly Known[]): Fate {
  const [found, ...others] = seen.filter((one) => one.createdAt === createdAt);
  if (found === undefined || others.length > 0) return { kind: 'unknown' };
  if (found.deletedAt !== undefined) return { kind: 'deleted', at: found.deletedAt };
  return { kind: 'renamed', orgName: found.orgName, repoName: found.name };
}
