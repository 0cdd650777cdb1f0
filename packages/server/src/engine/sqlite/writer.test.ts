// The writer when SQLite runs out of space within a transaction. A page limit stands for a full disk; test/faults has
// real ones.
import { describe, expect, it, onTestFinished } from 'vitest';
import { preparedLocation } from '../../../../../test/support/store.ts';
import type { Transaction } from '../database.ts';
import { SqliteConnection } from './connection.ts';
import { writerOn } from './sqlite.ts';

const FULL = { code: 'UNAVAILABLE', details: { reason: 'disk_full' }, retryAfter: expect.any(Number) };
const LARGE = 'x'.repeat(200_000);

async function openFullWriter() {
  const location = await preparedLocation('sqlite');
  if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
  const connection = new SqliteConnection(location.file, { readOnly: false });
  const writer = writerOn(connection);
  onTestFinished(() => writer.close());
  const [{ page_count: pages } = { page_count: 0 }] = connection.all<{ page_count: number }>('pragma page_count');
  const setLimit = (limit: number) => connection.exec(`pragma max_page_count = ${limit}`);
  setLimit(pages + 4);
  return {
    writer,
    makeRoom: () => setLimit(2 * pages + 1_000),
    names: async () => {
      const rows = await writer.transaction((tx) =>
        tx.query<{ name: string }>('select name from server_fact order by name'),
      );
      return rows.map(({ name }) => name);
    },
  };
}

const insert =
  (name: string, value = name) =>
  (tx: Transaction) =>
    tx.query('insert into server_fact (name, value) values ($1, $2)', [name, value]);

describe('the writer on sqlite without room', () => {
  it('refuses what found none and nothing else, and goes on when there is some', async () => {
    const { writer, makeRoom, names } = await openFullWriter();
    const outcomes = await Promise.allSettled([
      writer.transaction(insert('before')),
      writer.transaction(insert('large', LARGE)),
      writer.transaction(insert('after')),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: FULL },
      { status: 'fulfilled' },
    ]);
    expect(await names()).toEqual(['after', 'before']);
    makeRoom();
    await writer.transaction(insert('large', LARGE));
    expect(await names()).toEqual(['after', 'before', 'large']);
  });

  it('refuses the first of several alone, when nothing was written before it', async () => {
    const { writer, names } = await openFullWriter();
    const outcomes = await Promise.allSettled([
      writer.transaction(insert('large', LARGE)),
      writer.transaction(insert('after')),
    ]);
    expect(outcomes).toMatchObject([{ status: 'rejected', reason: FULL }, { status: 'fulfilled' }]);
    expect(await names()).toEqual(['after']);
  });

  it.each(['first', 'second'])(
    'makes nothing durable of work that goes on regardless, as the %s of its group',
    async (place) => {
      const { writer, names } = await openFullWriter();
      const regardless = async (tx: Transaction) => {
        await insert('large', LARGE)(tx).catch(() => {});
        await insert('regardless')(tx);
      };
      const before = place === 'first' ? [] : [writer.transaction(insert('before'))];
      const outcomes = await Promise.allSettled([...before, writer.transaction(regardless)]);
      const others = before.map(() => 'fulfilled');
      expect(outcomes.map(({ status }) => status)).toEqual([...others, 'rejected']);
      expect(await names()).toEqual(before.map(() => 'before'));
    },
  );
});
