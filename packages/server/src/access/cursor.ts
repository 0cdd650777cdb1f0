// Cursors of lists. A cursor holds the place where the page before ended, and a code that only this server can make: it
// binds the place to the procedure and its parameters, so that a cursor cannot be forged or used for another list.
// Access is not in it: that is asked anew for each page.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';

const CODE_BYTES = 32;

/** Which list it is: the procedure, and every parameter that decides what is in it. The size of a page does not. */
export interface ListIdentity {
  readonly procedure: ProcedureName;
  readonly parameters: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** The sort key of the last item of a page. */
export type Position = readonly (string | number)[];

export function encodeCursor(key: KeyObject, { position, ...list }: ListIdentity & { position: Position }): string {
  const place = Buffer.from(JSON.stringify(position));
  return Buffer.concat([codeOf(key, list, place), place]).toString('base64url');
}

/** The position, in the form in which `encodeCursor` got it for this list. */
export function decodeCursor<Place extends Position>(
  key: KeyObject,
  { cursor, ...list }: ListIdentity & { cursor: string },
): Place {
  const bytes = Buffer.from(cursor, 'base64url');
  const [code, place] = [bytes.subarray(0, CODE_BYTES), bytes.subarray(CODE_BYTES)];
  const good = code.length === CODE_BYTES && timingSafeEqual(code, codeOf(key, list, place));
  // Decoding skips characters that are none of base64url; what it skipped was not from us.
  if (!good || bytes.toString('base64url') !== cursor) throw cursorRefused();
  return JSON.parse(place.toString()) as Place;
}

function codeOf(key: KeyObject, { procedure, parameters }: ListIdentity, place: Uint8Array): Buffer {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const list = JSON.stringify([procedure, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
  // Text of JSON holds no zero byte, so that list and place cannot run into each other.
  return createHmac('sha256', key).update(`${list}\0`).update(place).digest();
}

function cursorRefused(): CairnError {
  return fail('VALIDATION_ERROR', {
    message: 'The cursor does not belong to this list. Send the nextCursor of its page before, and all else unchanged.',
    details: [{ path: 'cursor' }],
  });
}

/** A page of at most `limit` items, made from one more than that where there are more. */
export function toPage<Item>(
  found: readonly Item[],
  { limit, cursorAfter }: { limit: number; cursorAfter: (last: Item) => string },
): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(found.length > limit && last !== undefined && { nextCursor: cursorAfter(last) }) };
}
