// What a caller's credential allows at a place, whatever their role there: a session everything, a token what its entries
// and those of all that it descends from say, a component what its install approved.
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import type { Narrowing, NarrowingEntry } from './narrowing.rule.ts';
import type { Principal } from './principal.ts';
import { narrowingOf, type TokenScope } from './token-scope.sql.ts';

/** A repository in its organization, an organization, or the whole server. */
export interface Place {
  readonly orgId?: number | undefined;
  readonly repoId?: number | undefined;
}

export interface Allowance {
  readonly scopes: ReadonlySet<Scope>;
  /** Which records `repo:read` is for; `undefined`: all. It holds on a public repository too. */
  readonly narrowing: Narrowing | undefined;
}

const NOTHING: Allowance = { scopes: new Set(), narrowing: undefined };
const EVERYTHING: Allowance = { scopes: new Set(SCOPE_NAMES), narrowing: undefined };

export function allowanceOf(principal: Principal, place: Place): Allowance {
  switch (principal.kind) {
    case 'anonymous':
      return NOTHING;
    case 'session':
      return EVERYTHING;
    case 'token':
      return together(principal.lineage.map((scopes) => allowanceOfEntries(scopes, place)));
    case 'component':
      return principal.repoId === place.repoId && principal.stage === 'runtime'
        ? componentAllowance(principal.reads, principal.writes)
        : NOTHING;
  }
}

function together(levels: readonly Allowance[]): Allowance {
  const [own = NOTHING, ...above] = levels;
  const scopes = [...own.scopes].filter((scope) => above.every((level) => level.scopes.has(scope)));
  const narrowing = levels.flatMap((level) => level.narrowing ?? []);
  return { scopes: new Set(scopes), narrowing: narrowing.length === 0 ? undefined : narrowing };
}

function allowanceOfEntries(entries: readonly TokenScope[], place: Place): Allowance {
  const matching = decisiveEntries(entries, place);
  const reads = matching.filter(({ permissions }) => permissions.includes('repo:read')).map(narrowingOf);
  const narrowed = reads.filter((entry) => entry !== undefined);
  return {
    scopes: new Set(matching.flatMap(({ permissions }) => permissions)),
    narrowing: narrowed.length > 0 && narrowed.length === reads.length ? [narrowed] : undefined,
  };
}

/** Of the entries that match, those with the narrowest resource decide; entries of one resource add up. */
export function decisiveEntries(entries: readonly TokenScope[], { orgId, repoId }: Place): readonly TokenScope[] {
  const ofRepository = entries.filter((entry) => entry.repoId !== null && entry.repoId === repoId);
  if (ofRepository.length > 0) return ofRepository;
  const ofOrganization = entries.filter((entry) => entry.orgId !== null && entry.orgId === orgId);
  if (ofOrganization.length > 0) return ofOrganization;
  return entries.filter((entry) => entry.orgId === null && entry.repoId === null);
}

function componentAllowance(reads: readonly NarrowingEntry[], writes: readonly NarrowingEntry[]): Allowance {
  const scopes: Scope[] = [
    'repo:action-callback',
    ...(reads.length > 0 ? (['repo:read'] as const) : []),
    ...(writes.length > 0 ? (['repo:write'] as const) : []),
  ];
  return { scopes: new Set(scopes), narrowing: [reads] };
}

export function isNarrowedAnywhere(principal: Principal): boolean {
  if (principal.kind === 'component') return true;
  return principal.kind === 'token' && principal.lineage.some((level) => level.some((entry) => narrowingOf(entry)));
}
