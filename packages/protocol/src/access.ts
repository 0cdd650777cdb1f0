// Who may call a procedure or a route. Each row of their tables declares it; authorization and a test of every kind of
// caller go by it. A plain table without zod.
import type { Scope } from './scopes.ts';

export interface Access {
  /**
   * `nothing`: everyone may. `sight`: who sees the repository or organization that the input names. `account`: a session or a token, whatever its scopes. `operator`: who runs the server (with
   * CAIRN_ORG_CREATION=open every account), by a token with `org:admin` on everything. A scope: on the repository or organization that the input names.
   */
  readonly needs: 'nothing' | 'sight' | 'account' | 'operator' | Scope;
  /** What is public needs no credential, and no scope. */
  readonly open?: true;
  /** A second scope, on the same repository. With `repo:read` it must be for all that there is. */
  readonly with?: Scope;
  /** A second scope, on the other organization that the input names. */
  readonly also?: Scope;
  /** Whether a component may, in its own repository with its runtime token, or anywhere with any token of its own. */
  readonly component?: 'runtime' | 'any';
}

export const ACCESS = {
  nothing: { needs: 'nothing', component: 'any' },
  lists: { needs: 'nothing' },
  sight: { needs: 'sight' },
  account: { needs: 'account' },
  operator: { needs: 'operator' },
  read: { needs: 'repo:read', open: true, component: 'runtime' },
  profile: { needs: 'org:read', open: true },
  write: { needs: 'repo:write' },
  commit: { needs: 'repo:write', component: 'runtime' },
  configure: { needs: 'repo:configure' },
  subscribe: { needs: 'repo:configure', with: 'repo:read' },
  callback: { needs: 'repo:action-callback', component: 'runtime' },
  admin: { needs: 'repo:admin' },
  export: { needs: 'repo:checkpoint-read', with: 'repo:read' },
  checkpoint: { needs: 'repo:checkpoint-generate', with: 'repo:read' },
  import: { needs: 'repo:admin', with: 'repo:write' },
  members: { needs: 'org:read' },
  organize: { needs: 'org:configure' },
  own: { needs: 'org:admin' },
} as const satisfies Record<string, Access>;
