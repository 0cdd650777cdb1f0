import { type AccessSurface, accessSurface } from './access.ts';
import { type ActionSurface, actionSurface } from './action.ts';
import { type AuditSurface, auditSurface } from './audit.ts';
import { type AuthSurface, authSurface } from './auth.ts';
import { type CommitSurface, commitSurface } from './commit.ts';
import { type ComponentSurface, componentSurface } from './component.ts';
import { type CredentialSurface, credentialSurface } from './credential.ts';
import { type DiagnosticsSurface, diagnosticsSurface } from './diagnostics.ts';
import { type ExportSurface, exportSurface } from './export.ts';
import { createHttp } from './http.ts';
import { type ImportSurface, importSurface } from './import.ts';
import { type LiveSurface, liveSurface } from './live.ts';
import { type OrgSurface, orgSurface } from './org.ts';
import { type RepoSurface, repoSurface } from './repo.ts';
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
 */
export class CairnClient {
  readonly access: AccessSurface;
  readonly audit: AuditSurface;
  readonly auth: AuthSurface;
  readonly org: OrgSurface;
  readonly repo: RepoSurface;
  readonly shape: ShapeSurface;
  readonly thing: ThingSurface;
  readonly commit: CommitSurface;
  readonly export: ExportSurface;
  readonly import: ImportSurface;
  readonly live: LiveSurface;
  readonly stream: StreamSurface;
  readonly subscription: SubscriptionSurface;
  readonly action: ActionSurface;
  readonly credential: CredentialSurface;
  readonly component: ComponentSurface;
  readonly token: TokenSurface;
  readonly diagnostics: DiagnosticsSurface;

  constructor(options: TransportOptions) {
    const call = createTransport(options);
    const http = createHttp(options);
    this.access = accessSurface(call);
    this.audit = auditSurface(call);
    this.auth = authSurface(call);
    this.org = orgSurface(call);
    this.repo = repoSurface(call, http);
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
