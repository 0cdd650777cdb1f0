// A read over one transport page by page, and over the other in a single page. Each page is compared with the naive
// answer.
import { isDeepStrictEqual } from 'node:util';
import type { RecordItem } from '@cairn/protocol/record';
import { expect } from 'vitest';
import type { WorldReader } from './reader.ts';
import { type Expected, expectedOf, type Refusal } from './reference.ts';
import { inputOf, type PagePlace, type ReadRequest, urlOf } from './request.ts';

export type Transport = 'rest' | 'procedure';

export interface ListAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export async function ask(
  reader: WorldReader,
  request: ReadRequest,
  { transport, ...place }: PagePlace & { transport: Transport },
): Promise<ListAnswer> {
  const { main, options } = reader.world;
  if (transport === 'procedure') {
    const input = inputOf(request, main, place) as never;
    const { status, body } = await reader.call(`thing.${request.route}`, input);
    const parsed = JSON.parse(body);
    return { status, body: parsed.result?.data ?? parsed.error?.data?.cairn ?? parsed };
  }
  const headers = reader.token === undefined ? {} : { authorization: `Bearer ${reader.token}` };
  const answer = await options.app.request(urlOf(request, main, place), { headers });
  const parsed = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, body: (parsed.error as Record<string, unknown>) ?? parsed };
}

const other = (transport: Transport): Transport => (transport === 'rest' ? 'procedure' : 'rest');

export interface Way {
  readonly transport: Transport;
  readonly limits: readonly number[];
}

const PAGES_MAX = 12;
const WHOLE = 500;

export class Examination {
  items = 0;
  refusals = 0;

  async examine(reader: WorldReader, request: ReadRequest, { transport, limits }: Way): Promise<void> {
    const expected = await expectedOf(reader, request);
    const tell = (got: unknown, wanted: unknown, more: object = {}) =>
      this.#expectEqual(reader, request, { got, wanted, ...more });
    if (expected.refusals.length > 0) {
      this.refusals += 1;
      for (const one of [transport, other(transport)]) {
        const answer = await ask(reader, request, { transport: one });
        if (!isRefused(answer, expected.refusals)) tell(answer, { oneOf: expected.refusals }, { transport: one });
      }
      return;
    }
    if (request.count) return await this.#count(reader, request, expected, tell);
    await this.#page(reader, request, { expected, transport, limits, tell });
    await this.#page(reader, request, { expected, transport: other(transport), limits: [WHOLE], tell });
    this.items += expected.items.length;
  }

  async #count(reader: WorldReader, request: ReadRequest, { repoSeq, items }: Expected, tell: Tell): Promise<void> {
    const wanted = { repoSeq, count: items.length };
    for (const transport of ['rest', 'procedure'] as const) {
      const { status, body } = await ask(reader, request, { transport });
      tell({ status, body }, { status: 200, body: wanted }, { transport });
    }
    if (request.route !== 'query') return;
    const { order: _, fields: __, count: ___, ...filter } = request;
    const counted = await reader.call('thing.count', inputOf(filter, reader.world.main) as never);
    tell(JSON.parse(counted.body).result?.data, wanted, { procedure: 'thing.count' });
  }

  async #page(reader: WorldReader, request: ReadRequest, paging: Paging): Promise<void> {
    const { expected, transport, limits, tell } = paging;
    const least = Math.ceil(expected.items.length / PAGES_MAX);
    let cursor: string | undefined;
    let place = 0;
    for (let number = 0; number === 0 || cursor !== undefined; number++) {
      const limit = Math.min(WHOLE, Math.max(least, limits[number % limits.length] ?? WHOLE));
      const { status, body } = await ask(reader, request, { transport, limit, cursor });
      const page = expected.items.slice(place, place + limit);
      place += page.length;
      const { nextCursor, ...rest } = body;
      const got = { status, more: nextCursor !== undefined, ...rest, items: shownItems(body.items, request) };
      const wanted = { status: 200, more: place < expected.items.length, repoSeq: expected.repoSeq };
      tell(got, { ...wanted, items: shownItems(page, request) }, { transport, limit, page: number });
      cursor = nextCursor as string | undefined;
    }
  }

  #expectEqual(reader: WorldReader, request: ReadRequest, { got, wanted, ...more }: Comparison): void {
    if (isDeepStrictEqual(got, wanted)) return;
    const { main, options } = reader.world;
    const about = { seed: options.seed, url: urlOf(request, main), request, reader: reader.label, ...more };
    const names = { got: namesIn(got), wanted: namesIn(wanted) };
    expect(got, JSON.stringify({ ...about, ...names }, null, 1)).toEqual(wanted);
  }
}

type Tell = (got: unknown, wanted: unknown, more?: object) => void;

interface Paging {
  readonly expected: Expected;
  readonly transport: Transport;
  readonly limits: readonly number[];
  readonly tell: Tell;
}

interface Comparison {
  readonly got: unknown;
  readonly wanted: unknown;
}

/** Treats an empty list of references like a missing one. */
function shownItems(items: unknown, { fields }: ReadRequest): unknown {
  if (fields === undefined || !Array.isArray(items)) return items;
  return (items as RecordItem[]).map(({ refs, ...item }) => (refs?.length ? { ...item, refs } : item));
}

function namesIn(answer: unknown): unknown {
  const { items } = answer as { items?: RecordItem[] };
  return items?.map(({ pinnedWref, active }) => (active ? pinnedWref : `(${pinnedWref})`));
}

/** Matches the status and the parameter that the refusal names; a 404 only needs the status. */
function isRefused({ status, body }: ListAnswer, refusals: readonly Refusal[]): boolean {
  const text = JSON.stringify([body.message, body.details]);
  return refusals.some((one) => one.status === status && (status === 404 || text.includes(one.parameter)));
}
