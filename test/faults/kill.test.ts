// A server process is killed in the middle of its writes, again and again. Every acknowledged write must be there,
// complete. `npm test` does it a few times, `npm run test:long` many times.
import { describe, expect, it } from 'vitest';
import { openStore } from '../../packages/server/src/store.ts';
import { startProcess } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';

// `process.execPath` is new enough. An older Node would start the server as its child, and the kill would hit only the
// parent.
const ROUNDS = amount('FAULT_ROUNDS', { short: 2, long: 50 });

describe.each(ENGINES)('kill -9 while writing to %s', (engine) => {
  it(`loses nothing acknowledged, and leaves nothing half done, ${ROUNDS} times over`, async () => {
    const location = await testLocation(engine);
    for (let round = 0; round < ROUNDS; round++) {
      const args = ['run.mjs', 'test/faults/write-accounts.ts', JSON.stringify(location), String(round)];
      const writer = startProcess(process.execPath, args, {});
      await writer.printed(new RegExp(`^${round}-${1 + ((round * 37) % 150)}$`, 'm'));
      writer.child.kill('SIGKILL');
      await writer.ended();
      const acknowledged = writer.output().split('\n').slice(0, -1);
      const store = await openStore(location);
      const rows = await store.database.query<{ handle: string; name: string | null }>(
        `select account.handle, organization.name from account
         left join organization on organization.personal_account_id = account.id`,
      );
      const organizations = await store.database.query('select id from organization');
      expect(organizations).toHaveLength(rows.length);
      expect(rows.filter(({ handle, name }) => name !== handle)).toEqual([]);
      const present = new Set(rows.map(({ handle }) => handle));
      expect(acknowledged.filter((handle) => !present.has(handle))).toEqual([]);
      if (engine === 'sqlite') {
        expect(await store.database.query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      }
      await store.close();
    }
  });
});
