import { fail } from '@cairn/protocol/errors';
import type { AccessSurface, AuthSurface, DiagnosticsSurface, TokenSurface } from './auth.ts';
import type { CommitSurface } from './commit.ts';
import type { ComponentSurface } from './component.ts';
import type { ExportSurface } from './export.ts';
import { createHttp } from './http.ts';
import type { ImportSurface } from './import.ts';
import type { LiveSurface } from './live-stream.ts';
import type { AuditSurface, OrgSurface } from './org.ts';
import { type RepoSurface, repoSurface } from './repo.ts';
import { repoHandle } from './repo-handle.ts';
import type { ShapeSurface } from './shape.ts';
import type { StreamSurface } from './stream.ts';
import type { ActionSurface, CredentialSurface, SubscriptionSurface } from './subscription.ts';
import * as surfaces from './surfaces.ts';
import type { ThingSurface } from './thing.ts';
import { createTransport, type TransportOptions } from './transport.ts';

/** Reads the server's address and the token from the environment. Empty variables count as unset. */
function readEnvironment(): { readonly url: string; readonly token?: string } {
  const { process } = globalThis as { readonly process?: { readonly env?: Record<string, string | undefined> } };
  const { CAIRN_URL: url, CAIRN_TOKEN: token } = process?.env ?? {};
  if (url) return { url, ...(token && { token }) };
  throw fail('VALIDATION_ERROR', {
    message: 'CAIRN_URL is not set. Set it to the address of a Cairn server, such as http://localhost:8787.',
  });
}

/**
 * A client of one Cairn server.
 *
 * @example
 * const client = new CairnClient({ url: 'http://localhost:8787', token });
 * const me = await client.auth.whoami();
 * const { kind } = await CairnClient.fromEnv().auth.whoami();
 */
export class CairnClient {
  /** Permission checks for the caller. */
  readonly access: AccessSurface;
  /** Audit log of access changes. */
  readonly audit: AuditSurface;
  /** Identity and sessions of the caller. */
  readonly auth: AuthSurface;
  /** Organizations. */
  readonly org: OrgSurface;
  /** Repositories. Call it with a name to get a handle of one repository. */
  readonly repo: RepoSurface;
  /** Shapes. */
  readonly shape: ShapeSurface;
  /** Records. */
  readonly thing: ThingSurface;
  /** Commits. */
  readonly commit: CommitSurface;
  /** Export jobs, call by call. */
  readonly export: ExportSurface;
  /** Imports, call by call. */
  readonly import: ImportSurface;
  /** Tickets for live streams. */
  readonly live: LiveSurface;
  /** Streams of submissions, call by call. */
  readonly stream: StreamSurface;
  /** Webhook subscriptions. */
  readonly subscription: SubscriptionSurface;
  /** Runs, attempts and notifications of subscriptions. */
  readonly action: ActionSurface;
  /** Secrets for deliveries. */
  readonly credential: CredentialSurface;
  /** Components. */
  readonly component: ComponentSurface;
  /** Personal access tokens. */
  readonly token: TokenSurface;
  /** The server itself. */
  readonly diagnostics: DiagnosticsSurface;

  /**
   * Creates a client from the environment: `CAIRN_URL`, and `CAIRN_TOKEN` unless calls are anonymous. No other variable
   * is read, and `new CairnClient` reads none.
   */
  static fromEnv(options: Omit<TransportOptions, 'url' | 'token'> = {}): CairnClient {
    return new CairnClient({ ...readEnvironment(), ...options });
  }

  constructor(options: TransportOptions) {
    const call = createTransport(options);
    const http = createHttp(options);
    this.access = surfaces.accessSurface(call);
    this.audit = surfaces.auditSurface(call);
    this.auth = surfaces.authSurface(call);
    this.org = surfaces.orgSurface(call);
    this.repo = repoSurface(call, http, (name) => repoHandle(this, name));
    this.shape = surfaces.shapeSurface(call);
    this.thing = surfaces.thingSurface(call);
    this.commit = surfaces.commitSurface(call);
    this.export = surfaces.exportSurface(call, http);
    this.import = surfaces.importSurface(call);
    this.live = surfaces.liveSurface(call);
    this.stream = surfaces.streamSurface(call);
    this.subscription = surfaces.subscriptionSurface(call);
    this.action = surfaces.actionSurface(call);
    this.credential = surfaces.credentialSurface(call);
    this.component = surfaces.componentSurface(call, http);
    this.token = surfaces.tokenSurface(call);
    this.diagnostics = surfaces.diagnosticsSurface(call);
  }
}
