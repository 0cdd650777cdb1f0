// What every operation is given: where the data is, who asks, which limits hold, and the keys to sign with.
import type { KeyObject } from 'node:crypto';
import type { Limits } from '@cairn/protocol/limits';
import type { Outbound } from '../action/delivery/client.ts';
import type { ReadBounds } from '../engine/read-bounds.ts';
import type { BlobStore } from '../export/blob-store.ts';
import type { MailQueue } from '../mail/mail.ts';
import type { Store } from '../store.ts';
import type { Principal } from './principal.ts';

/** Derived from the server's secret, one for each purpose. Made once: of plain bytes each use would make a key anew. */
export interface Keys {
  readonly cursor: KeyObject;
  readonly entityTag: string;
  readonly exportToken: KeyObject;
  /** What browsers keep while their owners are at another provider is sealed with it. */
  readonly externalFlow: KeyObject;
  readonly liveTicket: KeyObject;
  readonly oauthCookie: KeyObject;
  /** Tells the secret itself: with one that is no longer the server's, nothing may be sealed. */
  readonly fingerprint: string;
  /** What credential sets are sealed with. */
  readonly sealing: KeyObject;
  /** What links that prove an address are signed with. */
  readonly signUp: KeyObject;
  readonly trace: KeyObject;
}

/** Where a request comes from, for the audit log. */
export interface Origin {
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface Context {
  readonly store: Store;
  /** Where the files of exports are. */
  readonly blobs: BlobStore;
  readonly limits: Limits;
  readonly keys: Keys;
  readonly principal: Principal;
  /** Where people reach this server: links begin with it. */
  readonly publicUrl: string;
  readonly origin: Origin;
  /** The header by which a request joins the trace of the delivery that led to it. */
  readonly trace?: string | undefined;
  /** Time limit and cancellation for all scans of the request. */
  readonly bounds?: ReadBounds | undefined;
  /** How webhooks are reached. */
  readonly outbound: Outbound;
  /** None where no SMTP server is set. */
  readonly mail?: MailQueue | undefined;
  /** After how many seconds each further attempt of a delivery is made. */
  readonly webhookRetrySeconds: readonly number[];
  /** Who may create organizations. */
  readonly orgCreation: 'operators' | 'open';
}
