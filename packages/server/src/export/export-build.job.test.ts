// Building, sharing, retrying and removing exports, and the leftovers of a node that dies or stops.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commit, createExportable, parseExport, refusalOf, WORLD } from '../../../../test/support/export.ts';
import {
  buildAll,
  buildExports,
  builderOn,
  claimOne,
  download,
  HOUR_MS,
  mint,
  redeem,
  redeemed,
  sha256Of,
} from '../../../../test/support/export-job.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestAppOn, startTestServer, testFolder } from '../../../../test/support/server.ts';
import { ENGINES, openStoreAt, preparedLocation } from '../../../../test/support/store.ts';
import { sweep } from '../repository/sweep.job.ts';
import type { Store } from '../store.ts';
import type { BlobStore } from './blob-store.ts';
import { startExportBuilds } from './export-build.job.ts';
import { exportBlobKey } from './export-job.sql.ts';

const GOING_ON = 'The log of the server has the reason. Fix it, then mint another job.';

async function exportableIn(engine: (typeof ENGINES)[number]) {
  const data = testFolder();
  const world = await createExportable(engine, { CAIRN_DATA: data });
  return { ...world, files: () => readdirSync(join(data, 'blobs')).sort() };
}

function failing(blobs: BlobStore, error: unknown): BlobStore {
  return { ...blobs, write: () => Promise.reject(error) };
}

async function makeDue({ store }: { store: Store }): Promise<void> {
  const { work } = await claimOne(store, { now: Date.now() + HOUR_MS });
  await store.write.releaseExport({ work, now: Date.now() - 1 });
}

describe.each(ENGINES)('building exports on %s', (engine) => {
  it('makes one file of equal jobs, also of different accounts, and one job for each of them', async () => {
    const world = await exportableIn(engine);
    const { store, app } = world;
    await store.write.createAccount({ email: 'bob@example.com', handle: 'bob', passwordHash: '-', operator: false });
    (await world.owner('org.addMember', { orgName: 'ada', handle: 'bob', role: 'viewer' })).data();
    const { createToken } = await import('../account/account.ts');
    const scopes = [{ permissions: ['repo:read' as const, 'repo:checkpoint-read' as const] }];
    const { token: bob } = await createToken(store, { email: 'bob@example.com', name: 'all', scopes });
    const [first, again] = [await mint(world), await mint(world, 'sinceRepoSeq=0&atRepoSeq=7')];
    const bobs = await mint({ app, session: bob });
    expect([first === again, first === bobs]).toEqual([true, false]);
    await buildAll(world);
    expect(world.files()).toHaveLength(1);
    expect((await redeemed(world, first)).contentSha256).toBe((await redeemed(world, bobs)).contentSha256);
    const joined = await mint(world, 'atRepoSeq=7');
    expect((await redeem(world, joined)).status).toBe(200);
    await commit(world.owner, [{ name: 'Room/new', data: {} }]);
    expect(await mint(world)).not.toBe(first);
    await buildAll(world);
    expect(world.files()).toHaveLength(2);
  });

  it('makes one file of equal jobs that are minted at the same moment', async () => {
    const world = await exportableIn(engine);
    const tokens = await Promise.all(Array.from({ length: 12 }, (_, n) => mint(world, `atRepoSeq=${(n % 2) + 1}`)));
    expect(new Set(tokens).size).toBe(2);
    const counted = ['export_build', 'export_job', 'work'].map((table) =>
      world.store.database.query<{ n: number }>(`select count(*) as n from ${table}`),
    );
    expect((await Promise.all(counted)).flat()).toEqual([{ n: 2 }, { n: 2 }, { n: 2 }]);
    await buildAll(world);
    const later = Date.now() + 25 * HOUR_MS;
    const [again] = await Promise.all([mint(world, 'atRepoSeq=1'), sweep(world, later), mint(world, 'atRepoSeq=2')]);
    await buildAll(world);
    const answer = await redeem(world, again);
    // It came before the sweep and was removed, or after it and was rebuilt.
    if (answer.status === 410) return;
    const { url, contentSha256 } = await redeemed(world, again);
    expect(sha256Of(await (await download(world, url)).text())).toBe(contentSha256);
  });

  it('tries three times, then says why it failed; another mint builds anew', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    const broken = builderOn({ ...world, blobs: failing(world.blobs, new Error('no space on /secret/path')) });
    for (let tries = 1; tries < 3; tries++) {
      await buildExports(broken);
      expect([broken.failures.length, await (await redeem(world, token)).json()]).toEqual([
        tries,
        { state: 'pending' },
      ]);
      await makeDue(world);
    }
    await buildExports(broken);
    expect(broken.failures).toHaveLength(3);
    for (let n = 0; n < 2; n++) {
      expect(await refusalOf(await redeem(world, token))).toEqual({
        status: 500,
        code: 'export-job-failed',
        message: `The export could not be built. ${GOING_ON}`,
      });
    }
    const next = await mint(world);
    expect(next).not.toBe(token);
    await buildAll(world);
    expect((await redeem(world, next)).status).toBe(200);
    expect((await redeem(world, token)).status).toBe(500);
  });

  it('says that there was no room, where that is why', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const broken = builderOn({ ...world, blobs: failing(world.blobs, full) });
    for (let tries = 1; tries <= 3; tries++) {
      await buildExports(broken);
      if (tries < 3) await makeDue(world);
    }
    expect((await refusalOf(await redeem(world, token))).message).toContain('The disk has no space for the file.');
  });

  it('takes up what a dead node left, under a key of its own, and clears up after it', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    const { work, claims } = await claimOne(world.store, { leaseMs: 0 });
    const left = exportBlobKey({ repoId: work.repoId, buildId: work.key, claim: claims });
    await world.blobs.write(left, [new Uint8Array(10)] as never);
    expect(await (await redeem(world, token)).json()).toEqual({ state: 'pending' });
    await buildAll(world);
    const { url, contentSha256 } = await redeemed(world, token);
    const text = await (await download(world, url)).text();
    expect([sha256Of(text), parseExport(text).recordCount]).toEqual([contentSha256, 11]);
    expect(world.files()).toEqual([expect.stringMatching(/-2$/)]);
    // The dead node was only slow: its claim is lost, so its result does not count.
    const late = { work, blobKey: left, recordCount: 0, bytes: 0, sha256: '00', now: Date.now() };
    expect(await world.store.write.completeExport(late)).toBe(false);
    expect((await redeemed(world, token)).contentSha256).toBe(contentSha256);
  });

  it('throws away what it has built when another node has taken it up meanwhile', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    const late: BlobStore = {
      ...world.blobs,
      write: async (key, bytes, signal) => {
        await world.blobs.write(key, bytes, signal);
        expect(world.files()).toEqual([key]);
        await claimOne(world.store, { now: Date.now() + HOUR_MS });
      },
    };
    const builder = builderOn({ ...world, blobs: late });
    await buildExports(builder);
    expect([world.files(), builder.failures]).toEqual([[], []]);
    expect(await (await redeem(world, token)).json()).toEqual({ state: 'running' });
  });

  it('gives up on what brought the server down three times', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    for (let n = 0; n < 3; n++) await claimOne(world.store, { leaseMs: 0 });
    const builder = builderOn(world);
    await buildExports(builder);
    const { status, code, message } = await refusalOf(await redeem(world, token));
    expect([status, code, message]).toEqual([500, 'export-job-failed', expect.stringContaining('three times')]);
    expect(world.files()).toEqual([]);
  });

  it('stops when it is told to, leaves no file, and what it had is pending and no try', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    const blobs: BlobStore = {
      ...world.blobs,
      write: async (key, bytes, signal) => {
        if (!signal?.aborted) await new Promise((stopped) => signal?.addEventListener('abort', stopped));
        await world.blobs.write(key, bytes, signal);
      },
    };
    for (let n = 0; n < 4; n++) {
      const stop = startExportBuilds(builderOn({ ...world, blobs }), { everyMs: 5 });
      await expect.poll(async () => await (await redeem(world, token)).json()).toEqual({ state: 'running' });
      await stop();
      expect(await (await redeem(world, token)).json()).toEqual({ state: 'pending' });
    }
    expect(world.files()).toEqual([]);
    await buildAll(world);
    expect((await redeem(world, token)).status).toBe(200);
  });

  it('builds so many of one repository at once, and the others wait', async () => {
    const world = await exportableIn(engine);
    for (let seq = 1; seq <= 4; seq++) await mint(world, `atRepoSeq=${seq}`);
    let [running, most] = [0, 0];
    const blobs: BlobStore = {
      ...world.blobs,
      write: async (key, bytes, signal) => {
        most = Math.max(most, ++running);
        await world.blobs.write(key, bytes, signal);
        running--;
      },
    };
    const stop = startExportBuilds(builderOn({ ...world, blobs }, { exportBuilds: 2 }), { everyMs: 5 });
    await expect.poll(() => world.files().length).toBe(4);
    await stop();
    expect(most).toBeLessThanOrEqual(2);
  });

  it('keeps a file until its last job has expired and its last link is over', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    const { work, ...claimed } = await claimOne(world.store);
    const day = 24 * HOUR_MS;
    const blobKey = exportBlobKey({ repoId: work.repoId, buildId: work.key, claim: claimed.claims });
    await world.blobs.write(blobKey, [new Uint8Array(1)] as never);
    // Completed almost a day ago: the next redemption signs a link that outlives the job.
    const completed = { work, blobKey, recordCount: 0, bytes: 1, sha256: '00' };
    const now = Date.now() - day + 60_000;
    await world.store.write.completeExport({ ...completed, now });
    const { expiresAt } = await redeemed(world, token);
    await sweep(world, now + day + 1);
    expect(world.files()).toEqual([blobKey]);
    await sweep(world, expiresAt - 1);
    expect(world.files()).toEqual([blobKey]);
    await sweep(world, expiresAt);
    expect(world.files()).toEqual([]);
    expect(await refusalOf(await redeem(world, token))).toMatchObject({ status: 410, code: 'export-token-expired' });
    expect(await world.store.database.query('select build_id from export_build')).toEqual([]);
    expect(await mint(world)).not.toBe(token);
  });

  it('has no job that is redeemed a day after it was complete, swept or not, and one that joins has its own day', async () => {
    const world = await exportableIn(engine);
    const token = await mint(world);
    const { work } = await claimOne(world.store);
    const now = Date.now() - 24 * HOUR_MS;
    await world.store.write.completeExport({ work, blobKey: 'a', recordCount: 0, bytes: 1, sha256: '00', now });
    expect(await refusalOf(await redeem(world, token))).toMatchObject({ status: 410, code: 'export-token-expired' });
    expect(await mint(world)).toBe(token);
    expect((await redeem(world, token)).status).toBe(200);
    await sweep(world, Date.now() + 23 * HOUR_MS);
    expect((await redeem(world, token)).status).toBe(200);
  });

  it('clears up after a crash in the middle of the removal, and with a repository', async () => {
    const world = await exportableIn(engine);
    const tokens = [await mint(world, 'atRepoSeq=1'), await mint(world, 'atRepoSeq=2')];
    await buildAll(world);
    expect(world.files()).toHaveLength(2);
    const stuck = { ...world.blobs, remove: () => Promise.reject(new Error('unplugged')) };
    const later = Date.now() + 25 * HOUR_MS;
    await expect(sweep({ store: world.store, blobs: stuck }, later)).rejects.toThrow('unplugged');
    const answers = await Promise.all(tokens.map(async (token) => (await redeem(world, token)).status));
    expect(answers.sort()).toEqual([200, 410]);
    await sweep(world, Date.now());
    expect(world.files()).toHaveLength(1);
    (await world.owner('repo.delete', WORLD)).data();
    await sweep(world, Date.now() + 31 * 24 * HOUR_MS);
    expect(world.files()).toEqual([]);
  });

  it('is done by any of several nodes on one database, each export by one', async () => {
    const location = await preparedLocation(engine);
    const environment = { CAIRN_DATA: testFolder() };
    const [here, there] = [await openStoreAt(location), await openStoreAt(location)];
    const [node, other] = [createTestAppOn(here, environment), createTestAppOn(there, environment)];
    const session = await createOwnerToken(here);
    const owner = caller(node.app, session);
    (await owner('repo.create', { orgName: 'ada', name: 'world' })).data();
    await commit(owner, [{ kind: 'shape', name: 'Room', data: { fields: {} } }]);
    for (let n = 0; n < 5; n++) await commit(owner, [{ name: `Room/${n}`, data: {} }]);
    const tokens = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((seq) => mint({ app: (seq % 2 ? node : other).app, session }, `atRepoSeq=${seq}`)),
    );
    const builders = [builderOn(node), builderOn(other)];
    const stops = builders.map((builder) => startExportBuilds(builder, { everyMs: 5 }));
    const statuses = async () =>
      await Promise.all(tokens.map(async (token) => (await redeem({ ...other, session }, token)).status));
    await expect.poll(statuses).toEqual(tokens.map(() => 200));
    await Promise.all(stops.map((stop) => stop()));
    expect(builders.flatMap(({ failures }) => failures)).toEqual([]);
    const claims = await here.database.query('select claims from export_build');
    expect(claims).toEqual(tokens.map(() => ({ claims: 1 })));
    for (const [index, token] of tokens.entries()) {
      const { url, recordCount } = await redeemed({ ...other, session }, token);
      const text = await (await download(node, url)).text();
      expect([parseExport(text).recordCount, recordCount]).toEqual([index + 1, index + 1]);
    }
  });

  it('goes on by itself in a server', async () => {
    const { url, store } = await startTestServer(engine);
    const token = await createOwnerToken(store);
    const headers = { authorization: `Bearer ${token}` };
    const post = (name: string, input: object) =>
      fetch(`${url}/trpc/${name}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
    await post('repo.create', { orgName: 'ada', name: 'world' });
    const path = `${url}/api/repos/ada/world/export`;
    const { exportToken } = (await (await fetch(`${path}?prefer=async`, { headers })).json()) as {
      exportToken: string;
    };
    const status = async () => (await fetch(`${path}?token=${exportToken}`, { headers })).status;
    await expect.poll(status, { interval: 100 }).toBe(200);
    const complete = (await (await fetch(`${path}?token=${exportToken}`, { headers })).json()) as { url: string };
    expect(complete.url.startsWith(`${url}/downloads/`)).toBe(true);
    const text = await (await fetch(complete.url)).text();
    expect(parseExport(text)).toMatchObject({ recordCount: 0, rows: [] });
  });
});
