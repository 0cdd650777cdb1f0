// Live streams: tickets, and admission of listeners.

import { type KeyObject, randomUUID, timingSafeEqual } from 'node:crypto';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { LiveTicket } from '@cairn/protocol/stream';
import { authorizeListener } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import { type Principal, type Shown, shownBy } from '../access/principal.ts';
import { networkOf } from '../access/usage.sql.ts';
import type { StopListening } from '../engine/database.ts';
import { computeMac } from '../keys/secret.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import type { Store } from '../store.ts';
import { LiveHub, type LivePace, type NewStream } from './hub.ts';
import { createLiveSource, type LiveListener, type LiveSight, toListener } from './live-source.ts';

const TICKET_MS = 60_000;

export async function issueTicket(context: Context, address: RepositoryAddress): Promise<LiveTicket> {
  const { principal, keys, origin } = context;
  const { repoId } = await authorizeListener(context, address);
  const { orgName, repoName } = address;
  const expiresAt = Date.now() + TICKET_MS;
  const listener = {
    repoId,
    orgName,
    repoName,
    shown: shownBy(principal),
    place: streamOwner(principal, origin.address),
  };
  return { ticket: encodeTicket(keys.liveTicket, { id: randomUUID(), expiresAt, ...listener }), expiresAt };
}

function streamOwner(principal: Principal, address: string | undefined): string {
  switch (principal.kind) {
    case 'anonymous':
      return `address ${address === undefined ? '' : networkOf(address)}`;
    case 'component':
      return `component ${principal.component} ${principal.repoId}`;
    default:
      return `account ${principal.accountId}`;
  }
}

export interface Live {
  readonly hub: LiveHub<LiveListener, LiveSight>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

export function createLive(
  store: Store,
  { onError: report, pace }: { onError: (error: unknown) => void; pace?: Partial<LivePace> | undefined },
): Live {
  const onError = seldom(report);
  const hub = new LiveHub({ source: createLiveSource(store), onError, pace });
  let listening: Promise<StopListening | undefined> | undefined;
  const listen = async () => {
    try {
      return await store.listenCommits((commit) => hub.heard(commit));
    } catch (error) {
      // The hub still polls, and the next listener retries the subscription.
      listening = undefined;
      onError(error);
      return undefined;
    }
  };
  return {
    hub,
    listen: async () => {
      listening ??= listen();
      await listening;
    },
    close: async () => {
      hub.close();
      await (await listening)?.();
    },
  };
}

const REPORT_EVERY_MS = 60_000;

/** Limits reports, because an unavailable database fails every second. */
function seldom(report: (error: unknown) => void): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    report(error);
  };
}

export async function admitListener(
  { store, keys, limits }: Context,
  { hub, listen }: Live,
  given: string | undefined,
  lastEventId: string | undefined,
): Promise<Omit<NewStream<LiveListener>, 'answer'>> {
  hub.refuseWhenClosed();
  const ticket = decodeTicket(keys.liveTicket, { ticket: given, now: Date.now() });
  const anonymous = ticket.shown.kind === 'anonymous';
  const max = anonymous ? limits.anonymousLiveStreams : limits.liveStreams;
  const place = hub.take(ticket.place, max);
  if (place === undefined) throw tooMany(max, anonymous);
  try {
    const listener = toListener(ticket);
    await listen();
    const { repoSeq } = await useTicket(store, { ticket, listener });
    return { listener, place, repoSeq, heardBefore: heardBefore(lastEventId, repoSeq) };
  } catch (error) {
    place.leave();
    throw error;
  }
}

async function useTicket(
  store: Store,
  { ticket, listener }: { ticket: Ticket; listener: LiveListener },
): Promise<LiveSight> {
  const { id: ticketId, expiresAt } = ticket;
  if (!(await store.usage.useTicket({ ticketId, expiresAt }))) throw ticketUsed();
  const [sight] = await createLiveSource(store).check([listener]);
  if (sight === undefined || sight instanceof CairnError) throw sight;
  return sight;
}

const SEQUENCE = /^(?:0|[1-9]\d{0,15})$/;

/** An id that no event of this repository had means that anything may have been missed. */
function heardBefore(lastEventId: string | undefined, repoSeq: number): number | 'unknown' | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined;
  const seq = SEQUENCE.test(lastEventId) ? Number(lastEventId) : Number.POSITIVE_INFINITY;
  return seq <= repoSeq ? seq : 'unknown';
}

function tooMany(max: number, anonymous: boolean): CairnError {
  const whose = anonymous ? 'This address, without a credential,' : 'This account';
  const advice = anonymous ? 'Close one, or get tickets with a bearer token.' : 'Close one, or share the open ones.';
  return fail('RATE_LIMITED', {
    message: `${whose} already has ${max} live streams open at this server, which is the limit. ${advice}`,
    retryAfter: 15,
  });
}

export interface Ticket {
  readonly id: string;
  readonly expiresAt: number;
  readonly repoId: number;
  readonly orgName: string;
  readonly repoName: string;
  readonly shown: Shown;
  readonly place: string;
}

const CODE_BYTES = 32;
const NEXT = 'Call live.issueTicket, and open the stream with its ticket: GET /sse?ticket=...';

export function encodeTicket(key: KeyObject, ticket: Ticket): string {
  const text = Buffer.from(JSON.stringify(ticket));
  return Buffer.concat([computeMac(key, text), text]).toString('base64url');
}

export function decodeTicket(key: KeyObject, { ticket, now }: { ticket: string | undefined; now: number }): Ticket {
  if (ticket === undefined || ticket === '') {
    throw refuseTicket('The live stream needs a ticket. A bearer token does not open it.');
  }
  const bytes = Buffer.from(ticket, 'base64url');
  const [code, text] = [bytes.subarray(0, CODE_BYTES), bytes.subarray(CODE_BYTES)];
  const good = code.length === CODE_BYTES && timingSafeEqual(code, computeMac(key, text));
  // Decoding skips invalid characters, so a ticket that encodes differently was not issued here.
  if (!good || bytes.toString('base64url') !== ticket) throw refuseTicket('The ticket was not issued by this server.');
  const decoded = JSON.parse(text.toString()) as Ticket;
  if (decoded.expiresAt <= now) throw refuseTicket('The ticket has expired. A ticket works for a minute.');
  return decoded;
}

export function ticketUsed(): CairnError {
  return refuseTicket('The ticket was already used. Each ticket opens one stream.');
}

function refuseTicket(message: string): CairnError {
  return fail('UNAUTHENTICATED', { message: `${message} ${NEXT}` });
}
