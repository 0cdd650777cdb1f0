// The check of all rows that ends other tests: it finds nothing in a sound repository, and finds every kind of damage.
import { hash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openSqliteDatabase } from '../packages/server/src/engine/sqlite/sqlite.ts';
import { openStore, type Store } from '../packages/server/src/store.ts';
import { addTestRepository, readableOf } from './support/repository.ts';
import { ENGINES, openTestStore, testLocation } from './support/store.ts';
import { verifyRepository } from './support/verify.ts';

const SENSOR = {
  'room?': { type: 'wref', indexed: true },
  'links?': ['wref'],
  'n?': { type: 'number', indexed: true },
};

async function fill(store: Store): Promise<number> {
  const far = await addTestRepository(store, 'far');
  await far.commit([
    { kind: 'shape', name: 'Star', data: { fields: {} } },
    { name: 'Star/sol', data: {} },
  ]);
  const { commit, grant } = await addTestRepository(store, 'near');
  await commit([
    { kind: 'shape', name: 'Room', data: { fields: {} } },
    { kind: 'shape', name: 'Sensor', data: { fields: SENSOR } },
    { name: 'Room/a', data: {} },
    { name: 'Room/b', data: {} },
  ]);
  const links = ['Room/b', 'wh:far/world/Star/sol'];
  await commit(
    [
      { name: 'Sensor/s', data: { room: 'Room/a', links, n: -2.5 } },
      { name: 'Sensor/t', about: 'Sensor/s', data: { n: 0 } },
      { type: 'arc', members: ['Room/a', 'Room/b'] },
      { operation: 'rename', name: 'Room/a', newName: 'Room/hall' },
      { operation: 'revise', name: 'Sensor/s', data: { room: 'Room/hall', n: 3 } },
    ],
    { readable: [readableOf(far)], committer: 'Sensor/s' },
  );
  await commit([{ operation: 'rename', name: 'Room', newName: 'Chamber' }]);
  await commit([{ operation: 'retract', name: 'Sensor/s' }]);
  await commit([{ operation: 'revise', name: 'Sensor/s', data: { room: 'Chamber/b', n: 1e21 } }]);
  return grant.repoId;
}

describe.each(ENGINES)('a repository that is right on %s', (engine) => {
  it('has no difference', async () => {
    const store = await openTestStore(engine);
    expect(await verifyRepository(store, await fill(store))).toEqual([]);
  });
});

const UNSORTED = '{"b":1,"a":1}';

/** Each damage to the rows, and the message that it must cause. */
const DAMAGE: readonly [change: string, said: RegExp][] = [
  ["delete from ref where role = 'about'", /the rows say never, but it was from 2$/],
  ['update ref set to_seq = null where to_seq is not null', /overlap/],
  ["update ref set target_version = 2 where role = 'from'", /the rows say from 2, but it was never/],
  ["update version set data = replace(data, 'hall', 'a')", /it reads "Room\/a@v1", but the target was Room\/hall@v1/],
  ['update version set refs = null where record_id = 5 and version = 2', /\/room: a wref without a reference/],
  [
    `update version set data = '${UNSORTED}', data_hash = x'${hash('sha256', UNSORTED)}' where record_id = 3`,
    /not in canonical form/,
  ],
  ["update version set data_hash = x'00' where record_id = 5", /its hash does not match its data/],
  ['update version set version = 5 where record_id = 5 and version = 4', /follows version 3/],
  ['update version set to_seq = 9 where to_seq = 4', /the version before ended at 9/],
  ["delete from name where name = 'hall'", /"hall" under shape 1 of record 3: the rows say never/],
  ['update name set to_seq = null', /two names of a record: .* overlap/],
  ["update record set name = 'a' where name = 'hall'", /set hall, but the next name was a/],
  ["delete from rename where new_name = 'Chamber'", /the name "Chamber" .* the rows say from 3, but it was from 1/],
  ['update "commit" set message = \'!\' where repo_seq = 3', /commit 3: its id is .*, but its rows give/],
  ["update version set reason = '!' where operation = 'retract'", /commit 4: its id is/],
  ['update repo_sequence set renamed_seq = 2 where renamed_seq = 3', /records the state 5,\d+,2,/],
  ['update repo_sequence set last_record_id = 4 where renamed_seq = 3', /records the state 5,4,3,/],
  ['delete from field_index where from_seq = 5', /the value 40.* the rows say never, but it was from 5/],
  ['update field_index set to_seq = null', /the values .* overlap/],
];

describe('a repository that is not', () => {
  it('is found out, whatever was changed', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const store = await openStore(location);
    const repoId = await fill(store);
    // Closing the last connection checkpoints the log into the file.
    await store.close();
    for (const [change, said] of DAMAGE) {
      const copy = `${location.file}-copy`;
      copyFileSync(location.file, copy);
      const damaging = new DatabaseSync(copy);
      damaging.exec(change);
      damaging.close();
      const { database } = openSqliteDatabase(copy);
      const differences = await verifyRepository({ database }, repoId);
      await database.close();
      expect(differences.join('\n'), change).toMatch(new RegExp(said, 'm'));
    }
  });
});
