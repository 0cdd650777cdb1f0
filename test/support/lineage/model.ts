// Accounts, places and a tree of tokens in memory, and the rights of each token, written directly from the design.
import {
  type OrganizationRole,
  organizationScopes,
  REPOSITORY_ROLES,
  type RepositoryRole,
  SCOPE_NAMES,
  type Scope,
} from '@cairn/protocol/scopes';
import { matchesBeyond, matchesGlob } from '../narrowing/visibility.ts';

export interface Org {
  name: string;
  bob: OrganizationRole | null;
}

export interface Shape {
  name: string;
}

export interface Repo {
  org: Org;
  name: string;
  visibility: 'public' | 'private';
  bob: RepositoryRole | null;
  readonly shapes: readonly Shape[];
}

export interface Place {
  readonly org?: Org | undefined;
  readonly repo?: Repo | undefined;
}

export interface Entry extends Place {
  readonly permissions: readonly Scope[];
  readonly refs?: readonly string[] | undefined;
  /** By identity in one repository, by name in several. */
  readonly shapes?: readonly (Shape | string)[] | undefined;
}

export type Account = 'ada' | 'bob';

export interface Actor {
  readonly account: Account;
  readonly token?: ModelToken | undefined;
}

export class ModelToken {
  readonly name: string;
  readonly account: Account;
  readonly parent: ModelToken | undefined;
  readonly entries: readonly Entry[];
  expiresAt: number;
  isRevoked = false;
  value: string;
  /** The value before the rotation, while it is still valid. */
  previous: string | undefined;
  readonly lost: string[] = [];

  constructor(form: Pick<ModelToken, 'name' | 'account' | 'parent' | 'entries' | 'expiresAt' | 'value'>) {
    this.name = form.name;
    this.account = form.account;
    this.parent = form.parent;
    this.entries = form.entries;
    this.expiresAt = form.expiresAt;
    this.value = form.value;
  }

  get lineage(): ModelToken[] {
    return [this, ...(this.parent?.lineage ?? [])];
  }

  get isAlive(): boolean {
    return this.lineage.every(({ isRevoked, expiresAt }) => !isRevoked && expiresAt > Date.now());
  }

  descendsFrom(other: ModelToken): boolean {
    return this !== other && this.lineage.includes(other);
  }
}

/** A session manages all tokens of its account; a token manages its descendants. */
export function manages({ account, token }: Actor, target: ModelToken): boolean {
  return target.account === account && (token === undefined || target.descendsFrom(token));
}

export const levelsOf = ({ token }: Actor) => token?.lineage.map(({ entries }) => entries) ?? [];

function decisive(entries: readonly Entry[], { org, repo }: Place): readonly Entry[] {
  const own = entries.filter((entry) => repo !== undefined && entry.repo === repo);
  if (own.length > 0) return own;
  const around = repo?.org ?? org;
  const inOrganization = entries.filter((entry) => around !== undefined && entry.org === around);
  return inOrganization.length > 0 ? inOrganization : entries.filter((entry) => !entry.org && !entry.repo);
}

/** The scopes that a credential permits, regardless of the role. */
export function allowed(levels: readonly (readonly Entry[])[], place: Place): Set<Scope> {
  const holds = (scope: Scope) =>
    levels.every((level) => decisive(level, place).some(({ permissions }) => permissions.includes(scope)));
  return new Set(SCOPE_NAMES.filter(holds));
}

export function roleIn(account: Account, { org, repo }: Place): readonly Scope[] {
  if (repo === undefined) return organizationScopes(account === 'ada' ? 'owner' : (org?.bob ?? null));
  const given =
    account === 'bob' && repo.bob !== null
      ? REPOSITORY_ROLES[repo.bob]
      : organizationScopes(account === 'ada' ? 'owner' : repo.org.bob);
  return given.filter((scope) => scope.startsWith('repo:'));
}

export function scopesIn(actor: Actor, place: Place): Set<Scope> {
  const held = allowed(levelsOf(actor), place);
  return new Set(roleIn(actor.account, place).filter((scope) => held.has(scope)));
}

const narrowing = (level: readonly Entry[], repo: Repo) => {
  const reading = decisive(level, { repo }).filter(({ permissions }) => permissions.includes('repo:read'));
  const isWhole = reading.length === 0 || reading.some(({ refs, shapes }) => !refs && !shapes);
  return isWhole ? undefined : reading;
};

export function isNarrowed(levels: readonly (readonly Entry[])[], repo: Repo): boolean {
  return levels.some((level) => narrowing(level, repo) !== undefined);
}

export interface Named {
  readonly repo: Repo;
  readonly shape?: Shape | undefined;
  readonly name: string;
}

export function shows(levels: readonly (readonly Entry[])[], { repo, shape, name }: Named): boolean {
  const shapeName = name.slice(0, name.indexOf('/'));
  return levels.every((level) => {
    const entries = narrowing(level, repo);
    return (
      entries === undefined ||
      entries.some(
        ({ refs, shapes }) =>
          (refs === undefined || refs.some((glob) => matchesGlob(glob, name))) &&
          (shapes === undefined || shapes.some((one) => one === shapeName || (one === shape && shape !== undefined))),
      )
    );
  });
}

export function showsShape(
  levels: readonly (readonly Entry[])[],
  { repo, shape }: { repo: Repo; shape: Shape },
): boolean {
  return levels.every((level) => {
    const entries = narrowing(level, repo);
    const isShown = ({ refs, shapes }: Entry) =>
      (refs === undefined || refs.some((glob) => matchesBeyond(glob, `${shape.name}/`))) &&
      (shapes === undefined || shapes.some((one) => one === shape || one === shape.name));
    return entries === undefined || entries.some(isShown);
  });
}

/** Scopes of the role that a token lacks, or holds only for some records. */
export function missingToGive(actor: Actor, place: Place, role: readonly Scope[]): Scope[] {
  const levels = levelsOf(actor);
  const held = allowed(levels, place);
  const isPart = place.repo !== undefined && isNarrowed(levels, place.repo);
  const isPartOfOrg = place.repo === undefined && levels.some((level) => isPartial(decisive(level, place)));
  const lacks = (scope: Scope) => !held.has(scope) || (scope === 'repo:read' && (isPart || isPartOfOrg));
  return role.filter(lacks);
}

function isPartial(entries: readonly Entry[]): boolean {
  const reading = entries.filter(({ permissions }) => permissions.includes('repo:read'));
  return reading.length > 0 && reading.every(({ refs, shapes }) => refs !== undefined || shapes !== undefined);
}
