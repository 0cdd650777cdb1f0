// List cursors: signed positions, bound to the procedure and its parameters. They carry no access rights, so each page
// checks access again.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { Context } from './context.ts';

const CODE_BYTES = 32;

export interface ListIdentity {
  readonly procedure: ProcedureName;
  readonly parameters: Readonly<Record<string, string | number | boolean | undefined>>;
}

export type Position = readonly (string | number)[];

export function encodeCursor(key: KeyObject, { position, ...list }: ListIdentity & { position: Position }): string {
  const place = Buffer.from(JSON.stringify(position));
  return Buffer.concat([cursorMac(key, list, place), place]).toString('base64url');
}

export function decodeCursor<Place extends Position>(
  key: KeyObject,
  { cursor, ...list }: ListIdentity & { cursor: string },
): Place {
  const bytes = Buffer.from(cursor, 'base64url');
  const [code, place] = [bytes.subarray(0, CODE_BYTES), bytes.subarray(CODE_BYTES)];
  const good = code.length === CODE_BYTES && timingSafeEqual(code, cursorMac(key, list, place));
  // Decoding skips characters outside base64url, so an altered cursor could decode to the same bytes.
  if (!good || bytes.toString('base64url') !== cursor) throw cursorRefused();
  return JSON.parse(place.toString()) as Place;
}

function cursorMac(key: KeyObject, { procedure, parameters }: ListIdentity, place: Uint8Array): Buffer {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const list = JSON.stringify([procedure, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
  // JSON text holds no zero byte, so list and place cannot run into each other.
  return createHmac('sha256', key).update(`${list}\0`).update(place).digest();
}

function cursorRefused(): CairnError {
  return fail('VALIDATION_ERROR', {
    message:
      'The cursor does not belong to this list. Send the nextCursor of the previous page, with all other input unchanged.',
    details: [{ path: 'cursor' }],
  });
}

/** Callers find `limit + 1` items after the position `after`, and make a page of them. */
export function openList<Place extends Position>(
  { keys: { cursor: key } }: Pick<Context, 'keys'>,
  procedure: ProcedureName,
  parameters: ListIdentity['parameters'],
  { cursor, limit }: { cursor?: string | undefined; limit: number },
) {
  const list = { procedure, parameters };
  const after = cursor === undefined ? undefined : decodeCursor<Place>(key, { ...list, cursor });
  const toPage = <Item>(found: readonly Item[], positionOf: (last: Item) => Place, itemsMax = limit): Page<Item> => {
    const items = found.slice(0, itemsMax);
    const last = items.at(-1);
    const hasMore = found.length > itemsMax && last !== undefined;
    return { items, ...(hasMore && { nextCursor: encodeCursor(key, { ...list, position: positionOf(last) }) }) };
  };
  return { after, toPage };
}
