// The request context that every operation receives: the store, the caller, limits and signing keys.
import type { KeyObject } from 'node:crypto';
import type { Limits } from '@cairn/protocol/limits';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Outbound } from '../action/delivery/client.ts';
import type { AccessView } from '../engine/access-epoch.ts';
import type { Client } from '../engine/read-bounds.ts';
import type { BlobStore } from '../export/blob-store.ts';
import type { MailQueue } from '../mail/mail.ts';
import type { Store } from '../store.ts';
import type { Principal } from './principal.ts';

/** Key objects, derived from the server's secret, because raw bytes would be imported on each use. */
export interface Keys {
  readonly cursor: KeyObject;
  readonly entityTag: string;
  readonly exportToken: KeyObject;
  readonly externalFlow: KeyObject;
  readonly liveTicket: KeyObject;
  readonly oauthCookie: KeyObject;
  /** Identifies the server's secret. A process with an outdated secret must not seal anything. */
  readonly fingerprint: string;
  readonly sealing: KeyObject;
  readonly signUp: KeyObject;
  readonly trace: KeyObject;
}

export interface Origin {
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface Context {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly limits: Limits;
  readonly keys: Keys;
  readonly principal: Principal;
  readonly view?: AccessView | undefined;
  readonly likelyView?: AccessView | undefined;
  /** Call this before anything but `readPoint` and `submitCommit` trusts the principal of a likely view. */
  readonly prove?: (() => Promise<Context>) | undefined;
  readonly publicUrl: string;
  readonly origin: Origin;
  readonly trace?: string | undefined;
  readonly client?: Client | undefined;
  readonly outbound: Outbound;
  readonly mail?: MailQueue | undefined;
  readonly webhookRetrySeconds: readonly number[];
  readonly orgCreation: 'operators' | 'open';
}

/** The operation behind a procedure, for every transport. */
export type Operation<Name extends ProcedureName> = (
  context: Context,
  input: ProcedureArguments<Name>,
) => Promise<ProcedureOutput<Name>>;
