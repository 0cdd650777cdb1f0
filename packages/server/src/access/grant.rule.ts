// The right to act on one repository or organization. Functions on repository rows take a grant instead of an id, and
// only access/access.ts creates one: a forgotten check does not compile.
import type { Scope } from '@cairn/protocol/scopes';
import type { FoundOrganization } from '../repository/organization.sql.ts';
import type { FoundRepository } from '../repository/repository.sql.ts';
import type { Narrowing } from './narrowing.rule.ts';

declare const granted: unique symbol;

export interface Grant extends FoundRepository {
  readonly scope: Scope;
  /** `undefined` means all. Hidden records are treated as nonexistent. */
  readonly narrowing: Narrowing | undefined;
  readonly writes: Narrowing | undefined;
  readonly holder?: string | undefined;
  readonly [granted]: true;
}

export interface OrganizationGrant extends FoundOrganization {
  readonly scope: Scope;
  readonly [granted]: true;
}

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

/** Rows of an organization are stored under its negated id. */
type Home = { readonly repoId: number } | { readonly orgId: number };

export function homeIdOf(home: Home): number {
  return 'repoId' in home ? home.repoId : -home.orgId;
}

export function homeOf(homeId: number): Home {
  return homeId > 0 ? { repoId: homeId } : { orgId: -homeId };
}
