import { expect, inject, it, onTestFinished } from 'vitest';
import { startPostgresPair } from '../../../../../test/support/postgres-pair.ts';
import { openPostgresDatabase, openPostgresWriter } from './postgres.ts';

it('finds the server that answers among several', async () => {
  const { host, href } = new URL(inject('postgresUrl'));
  const database = openPostgresDatabase(href.replace(host, `127.0.0.1:1,${host}`));
  onTestFinished(() => database.close());
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
});

it('says what is the matter with each server when none takes writes', async () => {
  const database = openPostgresDatabase('postgres://cairn:hunter2@127.0.0.1:1,127.0.0.1:2/cairn');
  onTestFinished(() => database.close());
  const refused = await database.query('select 1').catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1 });
  const { message } = (refused as Error).cause as Error;
  expect(message).toMatch(/^no server takes writes: .*127\.0\.0\.1:1: .*ECONNREFUSED.*127\.0\.0\.1:2: .*ECONNREFUSED/);
  expect(message).not.toContain('hunter2');
});

it('keeps to the primary, whichever comes first, and hears what is sent after another took its place', async () => {
  const pair = await startPostgresPair();
  onTestFinished(() => pair.stop());
  const url = pair.url.replace(/@(.*),(.*)\//, '@$2,$1/');
  const standby = openPostgresDatabase(pair.url.replace(/@.*,/, '@'));
  const [writer, database] = [openPostgresWriter(url), openPostgresDatabase(url)];
  onTestFinished(() => Promise.all([standby, writer, database].map((each) => each.close())).then(() => {}));
  const refused = await standby.query('select 1').catch((error: unknown) => error);
  expect((refused as Error).cause).toMatchObject({ message: expect.stringContaining('is a standby') });
  await writer.transaction((tx) => tx.query('create table t (n bigint)'));
  const heard: (string | undefined)[] = [];
  const stop = await database.listen('channel', (payload) => heard.push(payload));
  await database.notify('channel', 'before');
  await expect.poll(() => heard).toEqual(['before']);
  await pair.lose('crash');
  const waiting = database.query('select count(*) as n from t').catch((error: unknown) => error);
  await pair.promote();
  await writer.transaction((tx) => tx.query('insert into t values (1)'));
  expect(await database.query('select n from t')).toEqual([{ n: 1 }]);
  await expect.poll(() => heard).toContain(undefined);
  await database.notify('channel', 'after');
  await expect.poll(() => heard.at(-1)).toBe('after');
  await waiting;
  await stop();
});
