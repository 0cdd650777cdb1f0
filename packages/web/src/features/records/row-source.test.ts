import { describe, expect, it } from 'vitest';
import type { RowPage } from './row-pages.ts';
import { type PageRequest, RowSource } from './row-source.ts';

interface FakeOptions {
  readonly total: number;
  readonly canTurn?: boolean;
  readonly pagesKept?: number;
  readonly most?: number;
  /** A request that blocks until it is cancelled. `come` reports its arrival, `cancelled` its end. */
  readonly held?: { readonly number: number; readonly come: () => void; readonly cancelled: () => void };
}

function numbers({ total, canTurn = true, pagesKept, most = 500, held }: FakeOptions) {
  const asked: Pick<PageRequest, 'direction' | 'cursor' | 'limit'>[] = [];
  const pageOf = ({ direction, cursor, limit }: Omit<PageRequest, 'signal'>): RowPage<number> => {
    const from = Number(cursor ?? 0);
    const count = Math.min(limit, most, total - from);
    const rows = Array.from({ length: count }, (_, n) => (direction === 'forward' ? from + n : total - 1 - from - n));
    return { rows, ...(from + count < total && { nextCursor: String(from + count) }) };
  };
  const read = async ({ signal, ...request }: PageRequest) => {
    asked.push(request);
    await Promise.resolve();
    if (asked.length === held?.number) {
      held.come();
      await new Promise((end) => signal.addEventListener('abort', end));
      held.cancelled();
    }
    signal.throwIfAborted();
    return pageOf(request);
  };
  const first = pageOf({ direction: 'forward', cursor: undefined, limit: 100 });
  const source = new RowSource({ read, first, canTurn, ...(pagesKept !== undefined && { pagesKept }) });
  return { source, asked };
}

async function shown(source: RowSource<number>, first: number, last: number) {
  source.want({ first, last });
  await source.settled();
  return Array.from({ length: last - first + 1 }, (_, n) => source.rowAt(first + n));
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe('the rows of a list', () => {
  it('are there at once as far as the first page goes, and walked to beyond it', async () => {
    const { source, asked } = numbers({ total: 5_000 });
    expect(await shown(source, 0, 30)).toEqual(range(0, 30));
    expect(asked).toEqual([]);
    expect(await shown(source, 90, 130)).toEqual(range(90, 130));
    expect(asked).toEqual([{ direction: 'forward', cursor: '100', limit: 200 }]);
  });

  it('grow with the walk as long as nobody has counted them', async () => {
    const { source } = numbers({ total: 450 });
    expect([source.total, source.length]).toEqual([undefined, 300]);
    await shown(source, 250, 299);
    expect([source.total, source.length]).toEqual([undefined, 500]);
    await shown(source, 400, 499);
    expect([source.total, source.length]).toEqual([450, 450]);
    expect(source.rowAt(449)).toBe(449);
  });

  it('of the end come by the list that is turned round', async () => {
    const { source, asked } = numbers({ total: 1_000_000 });
    source.count(1_000_000);
    expect(await shown(source, 999_950, 999_999)).toEqual(range(999_950, 999_999));
    expect(asked).toEqual([{ direction: 'backward', cursor: undefined, limit: 200 }]);
  });

  it('between the ends are walked to from the nearer side, with large pages', async () => {
    const { source, asked } = numbers({ total: 10_000 });
    source.count(10_000);
    expect(await shown(source, 7_000, 7_040)).toEqual(range(7_000, 7_040));
    expect(new Set(asked.map(({ direction }) => direction))).toEqual(new Set(['backward']));
    expect(asked.slice(0, 3).map(({ limit }) => limit)).toEqual([500, 500, 500]);
    const before = asked.length;
    expect(await shown(source, 7_500, 7_540)).toEqual(range(7_500, 7_540));
    expect(await shown(source, 6_900, 6_940)).toEqual(range(6_900, 6_940));
    expect(asked.length - before).toBeLessThanOrEqual(1);
  });

  it('of a list that cannot be turned round are walked to from its beginning', async () => {
    const { source, asked } = numbers({ total: 3_000, canTurn: false });
    source.count(3_000);
    expect(await shown(source, 2_990, 2_999)).toEqual(range(2_990, 2_999));
    expect(new Set(asked.map(({ direction }) => direction))).toEqual(new Set(['forward']));
  });

  it('are found also where pages are smaller than was asked for', async () => {
    const { source } = numbers({ total: 2_000, most: 7 });
    source.count(2_000);
    expect(await shown(source, 500, 530)).toEqual(range(500, 530));
    expect(await shown(source, 1_900, 1_930)).toEqual(range(1_900, 1_930));
  });

  it('are kept of few pages, and read again by what is known of the others', async () => {
    const { source, asked } = numbers({ total: 20_000, pagesKept: 4 });
    source.count(20_000);
    await shown(source, 9_000, 9_010);
    expect(range(0, 19_999).filter((row) => source.rowAt(row) !== undefined).length).toBeLessThanOrEqual(4 * 500);
    const before = asked.length;
    expect(await shown(source, 2_000, 2_010)).toEqual(range(2_000, 2_010));
    expect(asked.length - before).toBe(1);
    expect(source.rowAt(0)).toBe(0);
  });

  it('that were read while the number was wrong are right when the end is known', async () => {
    const { source } = numbers({ total: 400 });
    source.count(390);
    await shown(source, 0, 389);
    expect(source.total).toBe(400);
    expect(await shown(source, 390, 399)).toEqual(range(390, 399));
  });

  it('can be exchanged', async () => {
    const { source } = numbers({ total: 50 });
    source.replace((row) => (row === 3 ? 33 : row));
    expect(await shown(source, 2, 4)).toEqual([2, 33, 4]);
  });
});

describe('a search for a row', () => {
  it('tells how far it is, and ends when another is wanted', async () => {
    const { source, asked } = numbers({ total: 1_000_000 });
    source.count(1_000_000);
    const seen: (number | undefined)[] = [];
    source.subscribe(() => {
      seen.push(source.search?.left);
      if (seen.length === 5) source.want({ first: 0, last: 20 });
    });
    source.want({ first: 512_000, last: 512_020 });
    await source.settled();
    expect(asked.length).toBeLessThan(8);
    expect(seen.slice(0, 2)).toEqual([487_999, 487_499]);
    expect(source.search).toBeUndefined();
    expect(source.rowAt(20)).toBe(20);
  });

  it('over 400,000 rows asks for one page after the other, and a jump back cancels the one that is under way', async () => {
    const PAGES = 200;
    const [come, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = { number: PAGES, come: come.resolve, cancelled: cancelled.resolve };
    const { source, asked } = numbers({ total: 1_000_000, held });
    source.count(1_000_000);
    source.want({ first: 400_000, last: 400_040 });
    await come.promise;
    // Walks from the nearer beginning, in the largest pages, each from the end of the previous one.
    const before = Array.from({ length: PAGES }, (_, n) => ({
      direction: 'forward',
      cursor: String(100 + 500 * n),
      limit: 500,
    }));
    expect(asked).toEqual(before);
    expect(source.search).toEqual({ row: 400_000, whole: 399_900, left: 399_900 - 500 * (PAGES - 1) });
    expect(await shown(source, 20, 60)).toEqual(range(20, 60));
    await cancelled.promise;
    expect(asked).toEqual(before);
    expect([source.search, source.error]).toEqual([undefined, undefined]);
    expect(await shown(source, 400_000, 400_040)).toEqual(range(400_000, 400_040));
    expect(asked[PAGES]).toEqual(before.at(-1));
    expect(asked).toHaveLength(new Set(asked.map(({ cursor }) => cursor)).size + 1);
  });

  it('does not begin for what is near', async () => {
    const { source } = numbers({ total: 5_000 });
    source.count(5_000);
    const seen: unknown[] = [];
    source.subscribe(() => seen.push(source.search));
    await shown(source, 500, 520);
    expect(seen.every((search) => search === undefined)).toBe(true);
  });

  it('goes on from where it was ended', async () => {
    const { source, asked } = numbers({ total: 100_000 });
    source.count(100_000);
    let pages = 0;
    const stop = source.subscribe(() => {
      pages += 1;
      if (pages === 10) source.want(undefined);
    });
    source.want({ first: 40_000, last: 40_010 });
    await source.settled();
    stop();
    const before = asked.length;
    await shown(source, 40_000, 40_010);
    expect(new Set(asked.map(({ cursor }) => cursor)).size).toBeGreaterThan(70);
    expect(asked.length - before).toBeLessThan(80);
    expect(source.rowAt(40_005)).toBe(40_005);
  });
});

describe('rows that cannot be read', () => {
  it('are told, and asked for again when that is wanted', async () => {
    let isDown = true;
    const source = new RowSource<number>({
      read: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve({ rows: [1, 2] })),
      first: { rows: [0], nextCursor: '1' },
      canTurn: false,
    });
    source.want({ first: 0, last: 2 });
    await source.settled();
    expect(source.error).toEqual(new Error('down'));
    expect(source.rowAt(0)).toBe(0);
    isDown = false;
    source.retry();
    await source.settled();
    expect([source.error, source.rowAt(2), source.total]).toEqual([undefined, 2, 3]);
  });
});

describe('rows that may not be asked for yet', () => {
  class TooMuch extends Error {}

  function limited({ refused, waitMs }: { refused: number; waitMs: number }) {
    const asked: (string | undefined)[] = [];
    const source = new RowSource<number>({
      read: async ({ cursor, limit }) => {
        asked.push(cursor);
        if (asked.length <= refused) throw new TooMuch();
        const from = Number(cursor);
        return { rows: range(from, from + limit - 1), nextCursor: String(from + limit) };
      },
      first: { rows: range(0, 99), nextCursor: '100' },
      canTurn: false,
      waitMsOf: (error) => (error instanceof TooMuch ? waitMs : undefined),
    });
    source.count(10_000);
    return { source, asked };
  }

  it('come by themselves when the wait is over, however often it takes', async () => {
    const { source, asked } = limited({ refused: 3, waitMs: 5 });
    const waits = new Set<number>();
    source.subscribe(() => source.goesOnAt !== undefined && waits.add(source.goesOnAt));
    expect(await shown(source, 150, 160)).toEqual(range(150, 160));
    expect(asked).toEqual(['100', '100', '100', '100']);
    expect(waits.size).toBeGreaterThan(0);
    expect([source.goesOnAt, source.error]).toEqual([undefined, undefined]);
  });

  it('keep the way to a far row, and its place', async () => {
    const { source } = limited({ refused: 1, waitMs: 5 });
    const seen: unknown[] = [];
    source.subscribe(() => source.goesOnAt !== undefined && seen.push(source.search, source.wanted));
    expect(await shown(source, 5_000, 5_010)).toEqual(range(5_000, 5_010));
    expect(seen).toEqual([
      { row: 5_000, whole: 4_900, left: 4_900 },
      { first: 5_000, last: 5_010 },
    ]);
  });

  it('may be others by then: nothing is asked for before', async () => {
    const { source, asked } = limited({ refused: 1, waitMs: 5 });
    source.want({ first: 5_000, last: 5_010 });
    await new Promise<void>((waiting) => {
      const stop = source.subscribe(() => {
        if (source.goesOnAt === undefined) return;
        stop();
        waiting();
      });
    });
    expect(await shown(source, 20, 60)).toEqual(range(20, 60));
    expect(asked).toEqual(['100']);
  });
});
