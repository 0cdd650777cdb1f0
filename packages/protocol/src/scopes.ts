// What a token can be allowed (spec 5, rule 4), and which scopes each role gives. Scopes are independent: none includes another.

export const SCOPES = {
  'repo:read': 'Read records, history, references, changes, content, shapes and commits; follow changes live.',
  'repo:checkpoint-read': 'With an unrestricted repo:read: export in all modes, and download checkpoints.',
  'repo:checkpoint-generate': 'With an unrestricted repo:read: make a checkpoint, a named and kept export.',
  'repo:write': 'Commit, stream, change shapes, rename; install and update components.',
  'repo:configure': 'Subscriptions, credential sets, runs, notifications, repository settings and features.',
  'repo:admin': 'Visibility, archive, delete, transfer, repository roles; with repo:write, import.',
  'repo:action-callback': "Report on a repository's runs.",
  'org:read': "The organization's profile, members, and the private repositories that the role can see.",
  'org:configure': 'Create repositories, members and invitations, components, organization subscriptions.',
  'org:admin': 'Rename and archive the organization, make owners.',
  'org:action-callback': "Report on an organization's runs.",
} as const;

/** The same in a few words, for a sentence: “It needs the right to …”. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  'repo:read': 'read the repository',
  'repo:checkpoint-read': 'export the repository',
  'repo:checkpoint-generate': 'keep exports of the repository',
  'repo:write': 'write to the repository',
  'repo:configure': 'change settings of the repository',
  'repo:admin': 'decide over the repository: who sees it, its roles, its end',
  'repo:action-callback': 'report on runs of the repository',
  'org:read': 'see the organization and its members',
  'org:configure': 'change settings of the organization',
  'org:admin': 'decide over the organization: its name, its owners, its archive',
  'org:action-callback': 'report on runs of the organization',
};

/** What a token or a role can allow. */
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

/** What somebody is in a repository. */
export type RepositoryRole = keyof typeof REPOSITORY_ROLES;

/** What an organization role gives in the organization, and in each of its repositories. */
export const ORGANIZATION_ROLES = {
  viewer: ['org:read', ...read],
  editor: ['org:read', ...write],
  admin: ['org:read', 'org:configure', 'org:action-callback', ...admin],
  owner: ['org:read', 'org:configure', 'org:action-callback', 'org:admin', ...admin],
} as const satisfies Record<string, readonly Scope[]>;

/** What a member of an organization is. */
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

// Who may call a procedure or a route. Each row of their tables declares it; authorization and a test of every kind of
// caller go by it. A plain table without zod.

export interface Access {
  /**
   * `nothing`: everyone may. `sight`: who sees the repository or organization that the input names. `account`: a session or a token, whatever its scopes. `session`: a session alone. `operator`: who runs the server (with
   * CAIRN_ORG_CREATION=open every account), by a token with `org:admin` on everything. A scope: on the repository or organization that the input names.
   */
  readonly needs: 'nothing' | 'sight' | 'account' | 'session' | 'operator' | Scope;
  /** What is public needs no scope, and no credential either, unless it says that it does. */
  readonly open?: true | 'credential';
  /** A second scope, on the same repository. With `repo:read` it must be for all that there is. */
  readonly with?: Scope;
  /** A second scope, on the other organization that the input names. */
  readonly also?: Scope;
  /**
   * Whether a component may: in its own repository with its runtime token; there with its setup token, for what its
   * manifest leaves to setup; or anywhere with any token of its own.
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
