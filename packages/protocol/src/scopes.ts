// The scopes of tokens (spec 5, rule 4), and the scopes of each role. Scopes are independent: none includes another.

export const SCOPES = {
  'repo:read': 'Read records, history, references, changes, content, shapes and commits; follow changes live.',
  'repo:checkpoint-read': 'With an unrestricted repo:read: export in all modes, and download checkpoints.',
  'repo:checkpoint-generate': 'With an unrestricted repo:read: create checkpoints, which are stored, named exports.',
  'repo:write': 'Commit, stream, change shapes, rename; install and update components.',
  'repo:configure': 'Manage subscriptions, credential sets, runs, notifications, repository settings and features.',
  'repo:admin': 'Change visibility and repository roles, archive, delete, transfer; with repo:write, import.',
  'repo:action-callback': "Report on a repository's runs.",
  'org:read': 'See the profile, the members, and the private repositories that the role can see.',
  'org:configure': 'Create repositories; manage members, invitations, components and organization subscriptions.',
  'org:admin': 'Rename and archive the organization, manage its owners.',
  'org:action-callback': "Report on an organization's runs.",
} as const;

/** Short form for a sentence: “It needs the right to …”. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'repo:read': 'read the repository',
  'repo:checkpoint-read': 'export the repository',
  'repo:checkpoint-generate': 'create checkpoints of the repository',
  'repo:write': 'write to the repository',
  'repo:configure': 'change settings of the repository',
  'repo:admin': 'administer the repository: visibility, roles, archive, deletion',
  'repo:action-callback': 'report on runs of the repository',
  'org:read': 'see the organization and its members',
  'org:configure': 'change settings of the organization',
  'org:admin': 'administer the organization: name, owners, archive',
  'org:action-callback': 'report on runs of the organization',
};

/** A right that a token or a role can have. */
export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

export function isScope(name: string): name is Scope {
  return Object.hasOwn(SCOPES, name);
}

const read: Scope[] = ['repo:read', 'repo:checkpoint-read'];
const write: Scope[] = [...read, 'repo:write', 'repo:action-callback', 'repo:checkpoint-generate'];
const maintain: Scope[] = [...write, 'repo:configure'];
const admin: Scope[] = [...maintain, 'repo:admin'];

export const REPOSITORY_ROLES = { read, write, maintain, admin } as const satisfies Record<string, readonly Scope[]>;

/** A role in a repository. */
export type RepositoryRole = keyof typeof REPOSITORY_ROLES;

/** Scopes that each organization role gives in the organization and in each of its repositories. */
export const ORGANIZATION_ROLES = {
  viewer: ['org:read', ...read],
  editor: ['org:read', ...write],
  admin: ['org:read', 'org:configure', 'org:action-callback', ...admin],
  owner: ['org:read', 'org:configure', 'org:action-callback', 'org:admin', ...admin],
} as const satisfies Record<string, readonly Scope[]>;

/** A role in an organization. */
export type OrganizationRole = keyof typeof ORGANIZATION_ROLES;

export function organizationScopes(role: OrganizationRole | null): readonly Scope[] {
  return role === null ? [] : ORGANIZATION_ROLES[role];
}

export function isOrganizationRole(name: string): name is OrganizationRole {
  return Object.hasOwn(ORGANIZATION_ROLES, name);
}

export function isRepositoryRole(name: string): name is RepositoryRole {
  return Object.hasOwn(REPOSITORY_ROLES, name);
}

// Permitted callers of a procedure or a route. Every row of their tables declares one. Authorization uses it, and so
// does a test of every kind of caller. A plain table without zod.

export interface Access {
  /**
   * The right that the call requires. A scope applies to the repository or organization that the input names.
   * `nothing`: everyone may call. `sight`: anyone who sees that repository or organization. `account`: a session or a
   * token, whatever its scopes. `session`: a session only. `operator`: the operator of the server (every account if
   * CAIRN_ORG_CREATION=open), by a token with `org:admin` on everything.
   */
  readonly needs: 'nothing' | 'sight' | 'account' | 'session' | 'operator' | Scope;
  /** Public resources need no scope. They need no credential either, unless the value is `credential`. */
  readonly open?: true | 'credential';
  /** A second scope, on the same repository. `repo:read` must then cover the whole repository. */
  readonly with?: Scope;
  /** A second scope, on the other organization that the input names. */
  readonly also?: Scope;
  /**
   * Components that may call: in their own repository with the runtime token; there with the setup token, for the parts
   * that the manifest leaves to setup; or anywhere with any token of their own.
   */
  readonly component?: 'runtime' | 'setup' | 'any';
}

export const ACCESS = {
  nothing: { needs: 'nothing', component: 'any' },
  lists: { needs: 'nothing' },
  sight: { needs: 'sight' },
  account: { needs: 'account' },
  session: { needs: 'session' },
  operator: { needs: 'operator' },
  read: { needs: 'repo:read', open: true, component: 'runtime' },
  profile: { needs: 'org:read', open: true },
  write: { needs: 'repo:write' },
  installs: { needs: 'repo:read', open: 'credential' },
  provisionShape: { needs: 'repo:write', component: 'setup' },
  commit: { needs: 'repo:write', component: 'runtime' },
  configure: { needs: 'repo:configure' },
  provisionCredential: { needs: 'repo:configure', component: 'setup' },
  subscribe: { needs: 'repo:configure', with: 'repo:read' },
  provisionSubscription: { needs: 'repo:configure', with: 'repo:read', component: 'setup' },
  callback: { needs: 'repo:action-callback', component: 'runtime' },
  admin: { needs: 'repo:admin' },
  publish: { needs: 'repo:admin', with: 'repo:read' },
  export: { needs: 'repo:checkpoint-read', with: 'repo:read' },
  checkpoint: { needs: 'repo:checkpoint-generate', with: 'repo:read' },
  import: { needs: 'repo:admin', with: 'repo:write' },
  members: { needs: 'org:read' },
  organize: { needs: 'org:configure' },
  own: { needs: 'org:admin' },
} as const satisfies Record<string, Access>;
