// What the processes of one server say to each other. The supervisor starts all the others, and hears of each how it goes.

import type { WriterAddress } from '../engine/writer-socket.ts';
import type { MetricsSnapshot } from '../http/metrics.ts';

/** The first that a process is told: what it is. */
export interface Role {
  readonly role: 'writer' | 'worker';
  readonly writerAt: WriterAddress;
  /** Where clients reach the server. */
  readonly publicUrl: string;
}

export type ToChild =
  | Role
  /** With it comes a connection, of which the supervisor keeps a copy until it is taken. */
  | { readonly connection: number }
  | { readonly stop: true }
  | { readonly snapshotOf: number }
  | { readonly rendered: number; readonly text: string };

export type FromChild =
  /** The writer has brought the database up to date; `setupCode` where there is no owner yet. */
  | { readonly opened: true; readonly setupCode: string | undefined }
  /** A worker takes connections from now on. */
  | { readonly ready: true }
  | { readonly took: number }
  /** A worker stops, and takes no more. */
  | { readonly leaving: true }
  | { readonly snapshot: MetricsSnapshot; readonly for: number }
  | { readonly render: number };
