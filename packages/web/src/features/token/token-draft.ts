import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import type { ScopeEntry } from '@cairn/sdk';

export type Extent = 'everything' | 'organization' | 'repository';

export interface Draft {
  readonly extent: Extent;
  readonly resource: string;
  readonly permissions: readonly Scope[];
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

export const scopesOf = (extent: Extent): Scope[] =>
  SCOPE_NAMES.filter((scope) => extent !== 'repository' || scope.startsWith('repo:'));

export function entryOf({ extent, resource, permissions, refs, shapes }: Draft): ScopeEntry {
  const globs = splitLines(refs);
  const offered = scopesOf(extent);
  return {
    ...(extent !== 'everything' && { resource: resource.trim() }),
    permissions: permissions.filter((scope) => offered.includes(scope)),
    ...(permissions.includes('repo:read') && {
      ...(globs.length > 0 && { refs: globs }),
      ...(shapes.length > 0 && { shapes: [...shapes] }),
    }),
  };
}

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function missingPlace({ extent, resource }: Draft): string | undefined {
  if (extent === 'organization' && !/^[^/\s]+$/.test(resource.trim())) return 'Enter an organization, such as acme.';
  if (extent === 'repository' && !/^[^/\s]+\/[^/\s]+$/.test(resource.trim()))
    return 'Enter a repository, such as acme/world.';
  return undefined;
}

export const missingPermission = ({ extent, permissions }: Draft): string | undefined =>
  permissions.some((scope) => scopesOf(extent).includes(scope)) ? undefined : 'Choose at least one permission.';

export const missingIn = (drafts: readonly Draft[]): string | undefined =>
  drafts.map((draft) => missingPlace(draft) ?? missingPermission(draft)).find((missing) => missing !== undefined);

export function toldOf({ resource, permissions, refs = [], shapes = [] }: ScopeEntry): string {
  const called = refs.length > 0 ? refs.join(', ') : 'records';
  const shaped = shapes.length > 0 ? ` of ${shapes.join(' or ')}` : '';
  const of = refs.length + shapes.length === 0 ? '' : `, reading only ${called}${shaped}`;
  return `${resource ?? 'everything'}: ${permissions.join(', ')}${of}`;
}
