// What every operation is given: where the data is, who asks, which limits hold, and the keys to sign with.
import type { KeyObject } from 'node:crypto';
import type { Limits } from '@cairn/protocol/limits';
import type { Principal } from '../auth/principal.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../store/store.ts';

/** Derived from the server's secret, one for each purpose. Made once: of plain bytes each use would make a key anew. */
export interface Keys {
  readonly cursor: KeyObject;
  readonly entityTag: KeyObject;
  readonly exportToken: KeyObject;
  readonly liveTicket: KeyObject;
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
  /** Who may create organizations. */
  readonly orgCreation: 'operators' | 'open';
}
