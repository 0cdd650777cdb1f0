import { describe, expect, it } from 'vitest';
import { ENGINES, openStoreAt, preparedLocation } from '../../../../test/support/store.ts';
import { KeptReads } from './sqlite/sqlite.ts';

describe.each(ENGINES)('what was read on %s', (engine) => {
  it('is never older than the last commit, whoever made it', async () => {
    const location = await preparedLocation(engine);
    const [here, there] = [await openStoreAt(location), await openStoreAt(location)];
    const facts = () =>
      there.database.kept('facts', async () => {
        const rows = await there.database.query<{ value: string }>('select value from server_fact where name = $1', [
          'secret-fingerprint',
        ]);
        return rows.map(({ value }) => value);
      });
    expect([await facts(), await facts()]).toEqual([[], []]);
    await here.write.claimServerFact({ name: 'secret-fingerprint', value: 'one' });
    expect([await facts(), await facts()]).toEqual([['one'], ['one']]);
  });
});

describe('kept reads', () => {
  let version = 1;
  let read = 0;
  const countReads = async () => {
    read++;
    return `read ${read}`;
  };

  it('are read once while the version stays', async () => {
    const reads = new KeptReads(() => version);
    expect(await reads.kept('a', countReads)).toBe('read 1');
    expect(await reads.kept('a', countReads)).toBe('read 1');
    expect(await reads.kept('b', countReads)).toBe('read 2');
    version++;
    expect(await reads.kept('a', countReads)).toBe('read 3');
  });

  it('are not kept when nothing was found, nor when something was committed meanwhile', async () => {
    const reads = new KeptReads(() => version);
    expect(await reads.kept('none', async () => undefined)).toBeUndefined();
    expect(await reads.kept('none', async () => 'found')).toBe('found');
    const old = reads.kept('a', async () => {
      version++;
      await reads.kept('b', async () => 'other');
      return 'from before';
    });
    expect(await old).toBe('from before');
    expect(await reads.kept('a', async () => 'from after')).toBe('from after');
  });
});
