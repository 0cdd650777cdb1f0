// The names that SDK examples use without declaring them. example-stage.ts creates the values.
import type { CairnClient, ExportEnd, ExportHeader, Operation, RepoHandle, SessionTokens } from '@cairn/sdk';

export interface Stage {
  readonly client: CairnClient;
  readonly repo: RepoHandle;
  readonly url: string;
  readonly token: string;
  readonly code: string;
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
  readonly tokens: SessionTokens;
  readonly refreshToken: string;
  readonly secret: string;
  readonly manifest: Record<string, unknown>;
  readonly nextManifest: Record<string, unknown>;
  readonly header: ExportHeader;
  readonly lines: string;
  readonly end: ExportEnd;
  readonly readings: () => Iterable<Operation>;
}
