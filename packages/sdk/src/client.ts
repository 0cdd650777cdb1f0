import type { Capabilities, Repository, Whoami } from '@cairn/protocol/procedures';
import { type Call, createTransport, type TransportOptions } from './transport.ts';

/**
 * A client of one Cairn server.
 *
 * @example
 * const client = new CairnClient({ url: 'http://localhost:8787', token });
 * const me = await client.auth.whoami();
 */
export class CairnClient {
  readonly auth: AuthSurface;
  readonly repo: RepoSurface;
  readonly diagnostics: DiagnosticsSurface;

  constructor(options: TransportOptions) {
    const call = createTransport(options);
    this.auth = authSurface(call);
    this.repo = repoSurface(call);
    this.diagnostics = diagnosticsSurface(call);
  }
}

/** Who the caller is. */
export interface AuthSurface {
  /** Who the token belongs to, and what it may do. */
  whoami(): Promise<Whoami>;
}

function authSurface(call: Call): AuthSurface {
  return { whoami: () => call('auth.whoami', undefined) };
}

/** Repositories. */
export interface RepoSurface {
  /** One repository, as far as the caller may see it. */
  get(orgName: string, repoName: string): Promise<Repository>;
}

function repoSurface(call: Call): RepoSurface {
  return { get: (orgName, repoName) => call('repo.get', { orgName, repoName }) };
}

/** The server itself. */
export interface DiagnosticsSurface {
  /** Version, engine, formats and limits of the server. */
  capabilities(): Promise<Capabilities>;
}

function diagnosticsSurface(call: Call): DiagnosticsSurface {
  return { capabilities: () => call('diagnostics.capabilities', undefined) };
}
