// What a token is to be allowed, as it is put together in a form.
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import type { ScopeEntry } from '@cairn/sdk';

/** Where an entry holds. */
export type Extent = 'everything' | 'organization' | 'repository';

/** One entry as it is filled in. */
export interface Draft {
  readonly extent: Extent;
  readonly resource: string;
  readonly permissions: readonly Scope[];
  /** Globs, one a line. */
  readonly refs: string;
  readonly shapes: readonly string[];
}

export const EMPTY_DRAFT: Draft = {
  extent: 'repository',
  resource: '',
  permissions: ['repo:read'],
  refs: '',
  shapes: [],
};

/** In one repository nothing of an organization is allowed. */
export const scopesOf = (extent: Extent): Scope[] =>
  SCOPE_NAMES.filter((scope) => extent !== 'repository' || scope.startsWith('repo:'));

export function entryOf({ extent, resource, permissions, refs, shapes }: Draft): ScopeEntry {
  const globs = linesOf(refs);
  const offered = scopesOf(extent);
  return {
    ...(extent !== 'everything' && { resource: resource.trim() }),
    permissions: permissions.filter((scope) => offered.includes(scope)),
    // Nothing but reading can be narrowed.
    ...(permissions.includes('repo:read') && {
      ...(globs.length > 0 && { refs: globs }),
      ...(shapes.length > 0 && { shapes: [...shapes] }),
    }),
  };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Why the place cannot be sent yet. */
export function missingPlace({ extent, resource }: Draft): string | undefined {
  if (extent === 'organization' && !/^[^/\s]+$/.test(resource.trim())) return 'Say which organization, such as acme.';
  if (extent === 'repository' && !/^[^/\s]+\/[^/\s]+$/.test(resource.trim()))
    return 'Say which repository, such as acme/world.';
  return undefined;
}

/** Why what it may do there cannot. */
export const missingPermission = ({ extent, permissions }: Draft): string | undefined =>
  permissions.some((scope) => scopesOf(extent).includes(scope)) ? undefined : 'Allow it at least one thing.';

/** What is to be filled in first, in all of its places. */
export const missingIn = (drafts: readonly Draft[]): string | undefined =>
  drafts.map((draft) => missingPlace(draft) ?? missingPermission(draft)).find((missing) => missing !== undefined);

/** In one line. */
export function toldOf({ resource, permissions, refs = [], shapes = [] }: ScopeEntry): string {
  // With both, a record must be one of either.
  const called = refs.length > 0 ? refs.join(', ') : 'records';
  const shaped = shapes.length > 0 ? ` of ${shapes.join(' or ')}` : '';
  const of = refs.length + shapes.length === 0 ? '' : `, reading only ${called}${shaped}`;
  return `${resource ?? 'everything'}: ${permissions.join(', ')}${of}`;
}
