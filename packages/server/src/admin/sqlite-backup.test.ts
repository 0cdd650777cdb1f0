import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { preparedLocation } from '../../../../test/support/store.ts';
import { SqliteConnection } from '../engine/sqlite/connection.ts';
import { copySqlite, findSqliteDamage, newestSchemaVersion, readSqliteCopy } from './backup-file.ts';

const ROWS = 6_000;
const ADD_ROW = 'insert into server_fact (name, value) values ($1, $2)';
const COUNT_ROWS = "select count(*) as n from server_fact where name like 'row %'";

async function filledDatabase() {
  const location = await preparedLocation('sqlite');
  if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
  const writer = new SqliteConnection(location.file, { readOnly: false });
  onTestFinished(() => writer.close());
  let last = 0;
  const add = () => writer.all(ADD_ROW, [`row ${++last}`, 'x'.repeat(4_000)]);
  writer.exec('begin');
  for (let n = 0; n < ROWS; n++) add();
  writer.exec('commit');
  const target = join(dirname(location.file), 'copy.db');
  return { file: location.file, target, writer, add };
}

function countIn(file: string): number {
  const connection = new SqliteConnection(file, { readOnly: true });
  const [row] = connection.all<{ n: number }>(COUNT_ROWS);
  connection.close();
  return row?.n ?? 0;
}

it('copies one state, in one go, though others commit at every step', async () => {
  const { file, target, writer, add } = await filledDatabase();
  const shares: number[] = [];
  await copySqlite(file, target, (share) => {
    shares.push(share);
    add();
  });
  expect(shares.length).toBeGreaterThan(3);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(await findSqliteDamage(target)).toBeUndefined();
  expect(await readSqliteCopy(target)).toEqual({ schemaVersion: newestSchemaVersion(), secretFingerprint: undefined });
  expect(readdirSync(dirname(target)).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
  expect(countIn(target)).toBe(ROWS);
  expect(writer.all(COUNT_ROWS)).toEqual([{ n: ROWS + shares.length }]);
});

it('finds damage anywhere in a copy', async () => {
  const { file, target } = await filledDatabase();
  await copySqlite(file, target, () => {});
  const handle = openSync(target, 'r+');
  writeSync(handle, 'not what was here', Math.floor(statSync(target).size / 8_192) * 4_096 + 5);
  closeSync(handle);
  expect(await findSqliteDamage(target).catch(String)).toMatch(/malformed|Tree|page|index/i);
});
