// The right to act on one repository, or on one organization. Functions on a repository's rows take it instead of an id,
// and only authorization (access/access.ts) makes one: forgetting to ask does not compile.
import type { Scope } from '@cairn/protocol/scopes';
import type { FoundOrganization } from '../repository/organization.sql.ts';
import type { FoundRepository } from '../repository/repository.sql.ts';
import type { Narrowing } from './narrowing.rule.ts';

declare const granted: unique symbol;

export interface Grant extends FoundRepository {
  readonly scope: Scope;
  /** Which records the caller may read; `undefined`: all. Hidden ones are as if they were not there. */
  readonly narrowing: Narrowing | undefined;
  /** Which records the caller may write; `undefined`: all. */
  readonly writes: Narrowing | undefined;
  /** The component that holds it, as `org/name`. */
  readonly holder?: string | undefined;
  readonly [granted]: true;
}

export interface OrganizationGrant extends FoundOrganization {
  readonly scope: Scope;
  readonly [granted]: true;
}

/** For background work, which acts for nobody: it says what it is for. */
export interface SystemGrant {
  readonly repoId: number;
  readonly reason: SystemReason;
  readonly [granted]: true;
}

type SystemReason =
  | 'index build'
  | 'search index'
  | 'live stream'
  | 'final deletion'
  | 'idle stream'
  | 'export build'
  | 'export removal'
  | 'purge'
  | 'delivery';

export function systemGrant(repoId: number, reason: SystemReason): SystemGrant {
  return { repoId, reason } as SystemGrant;
}

// Where a subscription, a credential set or a run belongs: a repository, or an organization itself, whose rows lie under
// minus its id.

type Home = { readonly repoId: number } | { readonly orgId: number };

export function homeIdOf(home: Home): number {
  return 'repoId' in home ? home.repoId : -home.orgId;
}

export function homeOf(homeId: number): Home {
  return homeId > 0 ? { repoId: homeId } : { orgId: -homeId };
}
