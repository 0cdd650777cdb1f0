// Every file write fails, as on a broken disk, and later succeeds again. The test sets the file size limit of the
// server to zero (RLIMIT_FSIZE), which needs no privileges. SQLite reports it as an I/O error. The outcome of the
// commits in progress is unknown, because the log may hold them. No acknowledged write is lost, reads continue, and
// writes resume later.
import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { findSqliteDamage } from '../../packages/server/src/admin/backup-file.ts';
import { createOwnerToken, settingsOf, startServerProcess, type TestProcess } from '../support/server.ts';
import { testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';
import { createShape, DiskLoad, expectStored, prepareStore, SETTINGS } from './disk-load.ts';

const ROUNDS = amount('FAULT_ROUNDS', { short: 2, long: 50 });

const options = { timeout: 120_000 + 60_000 * ROUNDS };
it(
  `goes on reading while its disk reports errors, and all of it afterwards, ${ROUNDS} times over`,
  options,
  async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const token = await prepareStore(location, createOwnerToken);
    const server = startServerProcess({ ...SETTINGS, CAIRN_LOG_LEVEL: 'silent', ...settingsOf(location) });
    const [, url = ''] = await server.printed(/Cairn \S+ is at (\S+) /);
    await createShape(url, token);
    const load = new DiskLoad(url, token);
    onTestFinished(() => load.stop());
    for (let round = 0; round < ROUNDS; round++) {
      await load.goesWell();
      limitFiles(server, '0');
      await load.isRefused('io_error');
      limitFiles(server, 'unlimited');
    }
    await load.goesWell();
    await load.stop();
    server.child.kill('SIGTERM');
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    expect(load.wrong).toEqual([]);
    expect([...load.reasons]).toEqual(['io_error']);
    expect([...load.messages].join()).toContain('its disk reports errors');
    await expectStored(location, load);
    expect(await findSqliteDamage(location.file)).toBeUndefined();
    console.log(`a failing disk, sqlite, ${ROUNDS} times: ${load}`);
  },
);

function limitFiles({ child }: TestProcess, bytes: string): void {
  try {
    execFileSync('prlimit', [`--pid=${child.pid}`, `--fsize=${bytes}:`], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error(
      'This test needs prlimit, which is a part of util-linux. On Debian: apt-get install util-linux. Elsewhere than on Linux it cannot be run.',
      { cause },
    );
  }
}
