// The disk of a server fills up while clients write and read, and is then freed. The server's log is on it too. Writes
// without room are refused with the reason and leave nothing behind; all other writes are there. Reads continue, and
// everything resumes once there is room. On PostgreSQL the full disk is that of the tables: a full disk for its log
// would end PostgreSQL itself.
import { chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { findSqliteDamage } from '../../packages/server/src/admin/backup-file.ts';
import type { Engine, StoreLocation } from '../../packages/server/src/engine/database.ts';
import { startPostgres } from '../support/postgres.ts';
import { createOwnerToken, settingsOf, startProcess, type TestProcess } from '../support/server.ts';
import { canHaveSmallDisk, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { ENGINES } from '../support/store.ts';
import { amount } from '../support/suite.ts';
import { createShape, DiskLoad, expectStored, prepareStore, SETTINGS } from './disk-load.ts';

const ROUNDS = amount('FAULT_ROUNDS', { short: 1, long: 50 });
const DISK_MEGABYTES = 64 + 6 * ROUNDS;
const LINES = 4_000;
const describeOnDisk = describe.runIf(canHaveSmallDisk());

describeOnDisk.each(ENGINES)('a full disk of a server on %s', (engine) => {
  const options = { timeout: 120_000 + 60_000 * ROUNDS };
  it(`is told, loses nothing that was acknowledged, and stops no reads, ${ROUNDS} times over`, options, async () => {
    const disk = mountSmallDisk(DISK_MEGABYTES);
    const location = await locationOn(disk, engine);
    const token = await prepareStore(location, createOwnerToken);
    const server = serve(disk, location);
    const url = await urlOf(server);
    await createShape(url, token);
    const load = new DiskLoad(url, token);
    onTestFinished(() => load.stop());
    for (let round = 0; round < ROUNDS; round++) {
      await load.goesWell();
      disk.fill();
      await load.isRefused('disk_full');
      disk.free();
    }
    await load.goesWell();
    await load.stop();
    server.child.kill('SIGTERM');
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    expect(load.wrong).toEqual([]);
    expect([...load.messages].join()).toContain('The server cannot write, because its disk is full.');
    await expectStored(location, load);
    if (location.engine === 'sqlite') expect(await findSqliteDamage(location.file)).toBeUndefined();
    expect(readFileSync(logOn(disk), 'utf8')).toContain('"path":"/health/ready"');
    console.log(`a full disk, ${engine}, ${ROUNDS} times: ${load}`);
  });
});

describeOnDisk.each(ENGINES)('a stream to a server on %s whose disk is filled', (engine) => {
  it('waits for room, and is applied once', async () => {
    const disk = mountSmallDisk(DISK_MEGABYTES);
    const location = await locationOn(disk, engine);
    const token = await prepareStore(location, createOwnerToken);
    const url = await urlOf(serve(disk, location));
    await createShape(url, token);
    const client = new CairnClient({ url, token, retry: { tries: 1_000 } });
    const freed = Promise.withResolvers<void>();
    async function* steps() {
      for (let n = 0; n < LINES; n++) {
        if (n === LINES / 2) {
          disk.fill();
          void freedWhenTold(disk, url).then(freed.resolve, freed.reject);
        }
        yield { name: `Step/${n}`, data: { n, filling: 'x'.repeat(2_000) } };
      }
    }
    const done = await client.repo.stream('ada', 'world', steps());
    await freed.promise;
    expect(done).toMatchObject({ offset: LINES, applied: LINES, noop: 0, error: 0 });
    expect(await client.thing.count('ada', 'world', { shape: 'Step' })).toMatchObject({ count: LINES });
  });
});

async function freedWhenTold(disk: SmallDisk, url: string): Promise<void> {
  const ready = async () => await (await fetch(`${url}/health/ready`)).json();
  await expect.poll(ready).toMatchObject({ status: 'ready', writeFault: 'disk_full' });
  disk.free();
}

describeOnDisk('a server on sqlite that is killed while its disk is full', () => {
  it('starts again without any room, reads what was acknowledged, and writes when there is some', async () => {
    const disk = mountSmallDisk(DISK_MEGABYTES);
    const location = await locationOn(disk, 'sqlite');
    const token = await prepareStore(location, createOwnerToken);
    const first = serve(disk, location);
    const url = await urlOf(first);
    await createShape(url, token);
    const load = new DiskLoad(url, token);
    onTestFinished(() => load.stop());
    await load.goesWell();
    disk.fill();
    await load.isRefused('disk_full');
    await load.rest();
    first.child.kill('SIGKILL');
    await first.ended();
    disk.fill();
    const second = serve(disk, location);
    load.goOn(await urlOf(second));
    await load.isRefused('disk_full');
    disk.free();
    await load.goesWell();
    await load.stop();
    expect(load.wrong).toEqual([]);
    second.child.kill('SIGTERM');
    expect(await second.ended()).toEqual({ code: 0, signal: null });
    await expectStored(location, load);
  });

  it('says at its first start that there is no room', async () => {
    const disk = mountSmallDisk(DISK_MEGABYTES);
    disk.fill();
    const environment = { PORT: '0', CAIRN_DATA: join(disk.folder, 'data') };
    const server = startProcess(process.execPath, ['run.mjs', mainFile()], environment);
    expect(await server.ended()).toEqual({ code: 1, signal: null });
    expect(server.output()).toMatch(/^Cairn cannot start: .*disk is full/m);
  });
});

async function locationOn(disk: SmallDisk, engine: Engine): Promise<StoreLocation> {
  if (engine === 'sqlite') return { engine, file: join(disk.folder, 'data', 'cairn.db') };
  // A separate server, because the one of the other tests may be on another machine.
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const folder = join(disk.folder, 'tables');
  mkdirSync(folder);
  const { uid, gid } = statSync(server.data);
  chownSync(folder, uid, gid);
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`create tablespace small location '${folder}'`);
  await sql.unsafe('create database cairn tablespace small');
  await sql.end();
  const url = new URL(server.url);
  url.pathname = '/cairn';
  return { engine, url: url.href };
}

const mainFile = () => join(inject('packages'), 'server/main.js');
const logOn = ({ folder }: SmallDisk) => join(folder, 'cairn.log');

function serve(disk: SmallDisk, location: StoreLocation): TestProcess {
  const script = 'log="$0"; exec "$@" >> "$log"';
  const args = ['-c', script, logOn(disk), process.execPath, 'run.mjs', mainFile()];
  return startProcess('sh', args, { ...SETTINGS, ...settingsOf(location) });
}

async function urlOf(server: TestProcess): Promise<string> {
  return (await server.printed(/Cairn \S+ is at (\S+) /))[1] ?? '';
}
