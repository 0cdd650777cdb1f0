import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGINES, testLocation } from '../../../../test/support/store.ts';
import { openPostgresWriter } from '../engine/postgres/postgres.ts';
import { openSqliteWriter } from '../engine/sqlite/sqlite.ts';
import { openStore, type Store } from '../store.ts';

async function openWithSessions(engine: (typeof ENGINES)[number]): Promise<Store> {
  const location = await testLocation(engine);
  const store = await openStore(location);
  onTestFinished(() => store.close());
  for (const handle of ['ada', 'bob']) {
    await store.write.createAccount({ email: `${handle}@example.com`, handle, passwordHash: '-', operator: false });
  }
  const writer = location.engine === 'sqlite' ? openSqliteWriter(location.file) : openPostgresWriter(location.url);
  await writer.transaction((tx) =>
    tx.query(`insert into session (id, account_id, created_at, expires_at, ended_at)
      select 's-' || handle, id, 1, 2, null from account union all
      select 'old', id, 1, 2, 1 from account where handle = 'ada'`),
  );
  await writer.close();
  return store;
}

async function accountIdOf({ database }: Store, handle: string): Promise<number> {
  const [row] = await database.query<{ id: number }>('select id from account where handle = $1', [handle]);
  return row?.id ?? -1;
}

describe.each(ENGINES)('sessions on %s', (engine) => {
  it.each(['changePassword', 'resetPassword', 'setPassword', 'setAccountActive'] as const)(
    'end with %s, those of the account alone',
    async (write) => {
      const store = await openWithSessions(engine);
      const accountId = await accountIdOf(store, 'ada');
      const now = Date.now();
      await store.write.issueResetCode({ accountId, codeHash: 'code', expiresAt: now + 1_000 });
      if (write === 'changePassword') await store.write.changePassword({ accountId, oldHash: '-', newHash: 'new' });
      else if (write === 'resetPassword')
        await store.write.resetPassword({ codeHash: 'code', passwordHash: 'new', now });
      else if (write === 'setPassword') await store.write.setPassword({ accountId, passwordHash: 'new' });
      else await store.write.setAccountActive({ accountId, active: false, now });
      const rows = await store.database.query(
        'select id, ended_at is null as runs, ended_at = 1 as before from session order by id',
      );
      const truth = (value: unknown) => value === true || value === 1;
      expect(rows.map(({ id, runs, before }) => [id, truth(runs), truth(before)])).toEqual([
        ['old', false, true],
        ['s-ada', false, false],
        ['s-bob', true, false],
      ]);
      expect(await store.database.query('select account_id from account_code')).toEqual([]);
    },
  );
});
