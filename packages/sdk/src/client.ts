import { type AccessSurface, accessSurface } from './access.ts';
import { type ActionSurface, actionSurface } from './action.ts';
import { type AuditSurface, auditSurface } from './audit.ts';
import { type AuthSurface, authSurface } from './auth.ts';
import { type CommitSurface, commitSurface } from './commit.ts';
import { type ComponentSurface, componentSurface } from './component.ts';
import { type CredentialSurface, credentialSurface } from './credential.ts';
import { type DiagnosticsSurface, diagnosticsSurface } from './diagnostics.ts';
import { readEnvironment } from './environment.ts';
import { type ExportSurface, exportSurface } from './export.ts';
import { createHttp } from './http.ts';
import { type ImportSurface, importSurface } from './import.ts';
import { type LiveSurface, liveSurface } from './live.ts';
import { type OrgSurface, orgSurface } from './org.ts';
import { type RepoSurface, repoSurface } from './repo.ts';
import { repoHandle } from './repo-handle.ts';
import { type ShapeSurface, shapeSurface } from './shape.ts';
import { type StreamSurface, streamSurface } from './stream.ts';
import { type SubscriptionSurface, subscriptionSurface } from './subscription.ts';
import { type ThingSurface, thingSurface } from './thing.ts';
import { type TokenSurface, tokenSurface } from './token.ts';
import { createTransport, type TransportOptions } from './transport.ts';

/**
 * A client of one Cairn server.
 *
 * @example
 * const client = new CairnClient({ url: 'http://localhost:8787', token });
 * const me = await client.auth.whoami();
 * const { kind } = await CairnClient.fromEnv().auth.whoami();
 */
export class CairnClient {
  /** What the caller may do. */
  readonly access: AccessSurface;
  /** Who did what that decides over access. */
  readonly audit: AuditSurface;
  /** Who the caller is. */
  readonly auth: AuthSurface;
  /** Organizations. */
  readonly org: OrgSurface;
  /** Repositories; called with a name, a handle of one. */
  readonly repo: RepoSurface;
  /** Shapes. */
  readonly shape: ShapeSurface;
  /** Records. */
  readonly thing: ThingSurface;
  /** Commits. */
  readonly commit: CommitSurface;
  /** Exports as jobs, call by call. */
  readonly export: ExportSurface;
  /** Imports, call by call. */
  readonly import: ImportSurface;
  /** Tickets of live streams. */
  readonly live: LiveSurface;
  /** Streams of submissions, call by call. */
  readonly stream: StreamSurface;
  /** Which commits are told to webhooks. */
  readonly subscription: SubscriptionSurface;
  /** What became of subscriptions. */
  readonly action: ActionSurface;
  /** Secrets that deliveries are sent with. */
  readonly credential: CredentialSurface;
  /** Components. */
  readonly component: ComponentSurface;
  /** Personal access tokens. */
  readonly token: TokenSurface;
  /** The server itself. */
  readonly diagnostics: DiagnosticsSurface;

  /**
   * A client of the server that the environment names: `CAIRN_URL`, and `CAIRN_TOKEN` where calls are not anonymous. Nothing
   * else of the environment is read, and nothing by `new CairnClient`.
   */
  static fromEnv(options: Omit<TransportOptions, 'url' | 'token'> = {}): CairnClient {
    return new CairnClient({ ...readEnvironment(), ...options });
  }

  constructor(options: TransportOptions) {
    const call = createTransport(options);
    const http = createHttp(options);
    this.access = accessSurface(call);
    this.audit = auditSurface(call);
    this.auth = authSurface(call);
    this.org = orgSurface(call);
    this.repo = repoSurface(call, http, (name) => repoHandle(this, name));
    this.shape = shapeSurface(call);
    this.thing = thingSurface(call);
    this.commit = commitSurface(call);
    this.export = exportSurface(call, http);
    this.import = importSurface(call);
    this.live = liveSurface(call);
    this.stream = streamSurface(call);
    this.subscription = subscriptionSurface(call);
    this.action = actionSurface(call);
    this.credential = credentialSurface(call);
    this.component = componentSurface(call, http);
    this.token = tokenSurface(call);
    this.diagnostics = diagnosticsSurface(call);
  }
}
