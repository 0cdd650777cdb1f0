// The database file, deleted or replaced under a running server.
import { copyFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTestAppOn } from '../../../../../test/support/server.ts';
import { openStoreAt, preparedLocation, testLocation } from '../../../../../test/support/store.ts';

async function openFile() {
  const location = await preparedLocation('sqlite');
  if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
  const store = await openStoreAt(location);
  const { app } = createTestAppOn(store);
  let number = 0;
  const write = () => store.write.claimServerFact({ name: 'server-id', value: String(number++) });
  const ready = async () => {
    const answer = await app.request('/health/ready');
    if (answer.status === 503) expect(await answer.text()).toContain('was deleted or replaced while it ran');
    return answer.status;
  };
  await write();
  return { file: location.file, write, ready };
}

const LOST = { code: 'UNAVAILABLE', details: { reason: 'file_lost' } };

it('is noticed when it is deleted: nothing is written, and the server is not ready', async () => {
  const { file, write, ready } = await openFile();
  expect(await ready()).toBe(200);
  rmSync(file);
  expect(await ready()).toBe(503);
  await expect(write()).rejects.toMatchObject(LOST);
});

it('is noticed when another takes its place, and goes on when it is back', async () => {
  const { file, write, ready } = await openFile();
  renameSync(file, `${file}.moved`);
  copyFileSync(`${file}.moved`, file);
  await expect(write()).rejects.toMatchObject(LOST);
  expect(await ready()).toBe(503);
  renameSync(`${file}.moved`, file);
  await write();
  await expect.poll(ready).toBe(200);
});

it('is readable by its owner alone, with all that is beside it', async () => {
  const location = await testLocation('sqlite');
  if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
  const store = await openStoreAt(location);
  await store.write.claimServerFact({ name: 'server-id', value: 'a' });
  await store.usage.takePermits({ key: 'a', rate: { perHour: 1, burst: 1 }, wanted: 1, now: Date.now() });
  for (const end of ['', '-wal', '-shm'])
    expect([end, statSync(location.file + end).mode & 0o777]).toEqual([end, 0o600]);
  const usage = location.file.replace(/[^/]*$/, 'usage.db');
  expect(statSync(usage).mode & 0o777).toBe(0o600);
});
