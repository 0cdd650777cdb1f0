// What the design says that a caller is answered, written apart from the code that decides it.

import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURES } from '@cairn/protocol/procedures';
import { type Access, isScope, ORGANIZATION_ROLES, REPOSITORY_ROLES, type Scope } from '@cairn/protocol/scopes';
import { type Caller, HOME, type Target } from './world.ts';

type Place = 'repo' | 'org';

/** What role and credential give together. */
function heldIn({ kind, scopes, only, ...roles }: Caller, target: Target, place: Place): Set<Scope> {
  if (kind === 'runtime') return new Set(target === HOME && place === 'repo' ? scopes : []);
  if (kind !== 'account' || !target.held || (only !== undefined && only !== target.orgName)) return new Set();
  return new Set(roleIn(roles, place).filter((scope) => scopes.includes(scope)));
}

function roleIn(
  { organizationRole, repositoryRole }: Pick<Caller, 'organizationRole' | 'repositoryRole'>,
  place: Place,
): readonly Scope[] {
  if (place === 'repo' && repositoryRole !== undefined) return REPOSITORY_ROLES[repositoryRole];
  const given: readonly Scope[] = organizationRole === undefined ? [] : ORGANIZATION_ROLES[organizationRole];
  return given.filter((scope) => place === 'org' || scope.startsWith('repo:'));
}

interface Refusal {
  readonly status: 401 | 403 | 404;
  readonly missing?: readonly Scope[];
  /** Whether another token of the same account would do. */
  readonly withheldBy?: 'token' | 'role';
}

export type Expected = Refusal | 'allowed';

function lacking(one: Caller, place: Place, missing: readonly Scope[]): Refusal {
  const given = roleIn(one, place);
  return { status: 403, missing, withheldBy: missing.every((scope) => given.includes(scope)) ? 'token' : 'role' };
}

/** Before anything is looked up; `undefined` where that does not decide. */
export function expectedAtOnce(one: Caller, { needs, open, component }: Access): Expected | undefined {
  if (one.kind === 'bad') return { status: 401 };
  if (
    one.kind === 'anonymous' &&
    (needs === 'account' || needs === 'session' || needs === 'operator' || (isScope(needs) && open !== true))
  ) {
    return { status: 401 };
  }
  // The setup token of this world is for no install, and so for nothing: component-provision.test.ts.
  const fits = component === 'any' || (one.kind === 'runtime' && component === 'runtime');
  const unfit = (one.kind === 'setup' || one.kind === 'runtime') && !fits;
  return unfit ? { status: 403 } : undefined;
}

interface Question {
  readonly one: Caller;
  readonly access: Access;
  readonly target: Target;
  readonly place: Place;
}

function expectedFor({ one, access, target, place }: Question): Expected {
  const { needs } = access;
  const atOnce = expectedAtOnce(one, access);
  if (atOnce !== undefined) return atOnce;
  if (needs === 'nothing' || needs === 'account') return 'allowed';
  if (needs === 'session') return one.session === true ? 'allowed' : { status: 403 };
  if (needs === 'operator') return isOperator(one) ? 'allowed' : { status: 403 };
  if (one.kind === 'runtime' && target !== HOME) return { status: 403 };
  if (!sees(one, target, place)) return { status: 404 };
  const isRead = access.open !== undefined && isOpen(one, target, place);
  if (access.with !== undefined) return expectedOfBoth({ one, access, target, place }, [needs as Scope, access.with]);
  if (needs === 'sight' || isRead || heldIn(one, target, place).has(needs))
    return expectedOfSecond(one, access, target);
  // What is read without a credential where it is public.
  return needs === 'repo:read' && access.open ? { status: 404 } : lacking(one, place, [needs]);
}

/** What takes two scopes on one repository tells all that is missing; `repo:read` must be for everything. */
function expectedOfBoth({ one, target, place }: Question, wanted: readonly [Scope, Scope]): Expected {
  const held = heldIn(one, target, place);
  const missing = wanted.filter((scope) => !held.has(scope));
  if (missing.length > 0) return lacking(one, place, missing);
  return wanted.includes('repo:read') && one.narrowed ? { status: 403 } : 'allowed';
}

function isOperator({ operator, scopes, only }: Caller): boolean {
  return operator === true && only === undefined && scopes.includes('org:admin');
}

function isOpen({ kind }: Caller, { visibility, open }: Target, place: Place): boolean {
  return kind !== 'runtime' && (place === 'repo' ? visibility === 'public' : open);
}

function sees(one: Caller, target: Target, place: Place): boolean {
  return isOpen(one, target, place) || heldIn(one, target, place).size > 0;
}

/** A second scope is on an organization, here the one that the repository is in. */
function expectedOfSecond(one: Caller, { also }: Access, target: Target): Expected {
  if (also === undefined || heldIn(one, target, 'org').has(also)) return 'allowed';
  return sees(one, target, 'org') ? lacking(one, 'org', [also]) : { status: 404 };
}

/** Of a route on a repository, at `HOME`. */
export function expectedOfRoute(access: Access, one: Caller): Expected {
  return expectedFor({ one, access, target: HOME, place: 'repo' });
}

/** Where the table says less than the procedure asks: a role is given only by who holds all of it. */
const GIVES: Partial<Record<ProcedureName, readonly Scope[]>> = {
  'org.addMember': ORGANIZATION_ROLES.viewer,
  'org.setMemberRole': ORGANIZATION_ROLES.viewer,
};

/** What is installed is told to who may read all. */
const FOR_ALL_READERS: readonly ProcedureName[] = ['component.list', 'component.get', 'component.doctor'];

export function expectedOf(name: ProcedureName, one: Caller, target: Target): Expected {
  const access: Access = PROCEDURES[name].access;
  // It names a run alone, and there is none.
  if (name === 'action.callback') return expectedAtOnce(one, access) ?? { status: 404 };
  const aboutOrganization =
    access.needs === 'sight' ? name === 'access.checkOrgPermission' : access.needs.startsWith('org');
  const expected = expectedFor({ one, access, target, place: aboutOrganization ? 'org' : 'repo' });
  // A dry run is also for who may read all, by more than the repository being public.
  if (name === 'commit.validate' && !one.narrowed && heldIn(one, target, 'repo').has('repo:read')) return 'allowed';
  if (expected === 'allowed' && one.narrowed && FOR_ALL_READERS.includes(name)) {
    return { status: 403, missing: ['repo:read'] };
  }
  const missing = (GIVES[name] ?? []).filter((scope) => !one.scopes.includes(scope));
  return expected !== 'allowed' || missing.length === 0 ? expected : { status: 403, missing };
}
