// The names that the examples of the SDK use without saying what they are; example-stage.ts makes them.
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
