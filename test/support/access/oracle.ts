// Expected answers for each caller by design, independent of the code that decides it.

import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURES } from '@cairn/protocol/procedures';
import { type Access, isScope, ORGANIZATION_ROLES, REPOSITORY_ROLES, type Scope } from '@cairn/protocol/scopes';
import { type Caller, HOME, type Target } from './world.ts';

type Place = 'repo' | 'org';

/** The scopes from role and credential combined. */
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
  /** `token` if another token of the same account would be enough. */
  readonly withheldBy?: 'token' | 'role';
}

export type Expected = Refusal | 'allowed';

function lacking(one: Caller, place: Place, missing: readonly Scope[]): Refusal {
  const given = roleIn(one, place);
  return { status: 403, missing, withheldBy: missing.every((scope) => given.includes(scope)) ? 'token' : 'role' };
}

/** The answer before any lookup; `undefined` if a lookup is needed. */
export function expectedAtOnce(one: Caller, { needs, open, component }: Access): Expected | undefined {
  if (one.kind === 'bad') return { status: 401 };
  if (
    one.kind === 'anonymous' &&
    (needs === 'account' || needs === 'session' || needs === 'operator' || (isScope(needs) && open !== true))
  ) {
    return { status: 401 };
  }
  // The setup token of this world belongs to no install, so it permits nothing. component-provision.test.ts covers the
  // others.
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
  // Public repositories allow this read without a credential.
  return needs === 'repo:read' && access.open ? { status: 404 } : lacking(one, place, [needs]);
}

/** An operation that needs two scopes on one repository reports all missing ones. `repo:read` must cover everything. */
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

/** The second scope is on an organization, here the one of the repository. */
function expectedOfSecond(one: Caller, { also }: Access, target: Target): Expected {
  if (also === undefined || heldIn(one, target, 'org').has(also)) return 'allowed';
  return sees(one, target, 'org') ? lacking(one, 'org', [also]) : { status: 404 };
}

/** The expected answer of a route on the repository `HOME`. */
export function expectedOfRoute(access: Access, one: Caller): Expected {
  return expectedFor({ one, access, target: HOME, place: 'repo' });
}

/** Extra checks that the access table omits: only a caller who holds every scope of a role may grant it. */
const GIVES: Partial<Record<ProcedureName, readonly Scope[]>> = {
  'org.addMember': ORGANIZATION_ROLES.viewer,
  'org.setMemberRole': ORGANIZATION_ROLES.viewer,
};

/** Only callers who may read everything see installs. */
const FOR_ALL_READERS: readonly ProcedureName[] = ['component.list', 'component.get', 'component.doctor'];

export function expectedOf(name: ProcedureName, one: Caller, target: Target): Expected {
  const access: Access = PROCEDURES[name].access;
  // The input names only a run, and that run does not exist.
  if (name === 'action.callback') return expectedAtOnce(one, access) ?? { status: 404 };
  const aboutOrganization =
    access.needs === 'sight' ? name === 'access.checkOrgPermission' : access.needs.startsWith('org');
  const expected = expectedFor({ one, access, target, place: aboutOrganization ? 'org' : 'repo' });
  // A dry run is also open to callers with read access to everything. Public visibility alone is not enough.
  if (name === 'commit.validate' && !one.narrowed && heldIn(one, target, 'repo').has('repo:read')) return 'allowed';
  if (expected === 'allowed' && one.narrowed && FOR_ALL_READERS.includes(name)) {
    return { status: 403, missing: ['repo:read'] };
  }
  const missing = (GIVES[name] ?? []).filter((scope) => !one.scopes.includes(scope));
  return expected !== 'allowed' || missing.length === 0 ? expected : { status: 403, missing };
}
