// Who may call a procedure or a route. Each row of their tables declares it; authorization and a test of every kind of
// caller go by it. A plain table without zod.
import type { Scope } from './scopes.ts';

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
