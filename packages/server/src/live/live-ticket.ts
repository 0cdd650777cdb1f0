// Tickets of live streams. A ticket says who may listen to what, and until when it opens a stream; a code that only this
// server can make stands before that. Nothing is stored when one is issued.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Shown } from '../access/standing.ts';

export interface Ticket {
  readonly id: string;
  readonly expiresAt: number;
  readonly repoId: number;
  readonly orgName: string;
  readonly repoName: string;
  /** The credential that it was issued for. */
  readonly shown: Shown;
  /** Whose streams are counted together. */
  readonly place: string;
}

const CODE_BYTES = 32;
const NEXT = 'Call live.issueTicket, and open the stream with what it gives: GET /sse?ticket=...';

export function encodeTicket(key: KeyObject, ticket: Ticket): string {
  const text = Buffer.from(JSON.stringify(ticket));
  return Buffer.concat([codeOf(key, text), text]).toString('base64url');
}

export function decodeTicket(key: KeyObject, { ticket, now }: { ticket: string | undefined; now: number }): Ticket {
  if (ticket === undefined || ticket === '') {
    throw refused('The live stream needs a ticket; a bearer token alone does not open it.');
  }
  const bytes = Buffer.from(ticket, 'base64url');
  const [code, text] = [bytes.subarray(0, CODE_BYTES), bytes.subarray(CODE_BYTES)];
  const good = code.length === CODE_BYTES && timingSafeEqual(code, codeOf(key, text));
  // Decoding skips characters that are none of base64url; what it skipped was not from us.
  if (!good || bytes.toString('base64url') !== ticket) throw refused('The ticket was not issued by this server.');
  const decoded = JSON.parse(text.toString()) as Ticket;
  if (decoded.expiresAt <= now) throw refused('The ticket has expired: it is good for a minute.');
  return decoded;
}

export function ticketUsed(): CairnError {
  return refused('The ticket was used already: each opens one stream.');
}

function refused(message: string): CairnError {
  return fail('UNAUTHENTICATED', { message: `${message} ${NEXT}` });
}

function codeOf(key: KeyObject, text: Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
