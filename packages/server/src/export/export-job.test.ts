// Export jobs as clients use them: mint, poll, redeem, download, and refusals.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import {
  commit,
  createExportable,
  exportAll,
  parseExport,
  refusalOf,
  requestExport,
  WORLD,
} from '../../../../test/support/export.ts';
import {
  buildAll,
  claimOne,
  download,
  HOUR_MS,
  mint,
  redeem,
  redeemed,
  sha256Of,
} from '../../../../test/support/export-job.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const BOTH = ['repo:read', 'repo:checkpoint-read'] as const;

describe.each(UPPER_ENGINES)('an export job on %s', (engine) => {
  it(
    verifies(
      'is minted with 202, a token and the sequence of that moment',
      '2.2/export-token',
      '2.2/at-repo-seq',
      '4.2/prefer-async',
      '4.2/at-default-async',
      '4.2/at-async',
      '7/accepted-not-error',
    ),
    async () => {
      const world = await createExportable(engine);
      const answer = await requestExport(world.app, { query: 'prefer=async', token: world.session });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([202, 'application/json']);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      const minted = (await answer.json()) as { exportToken: string };
      expect(minted).toEqual({ exportToken: expect.stringMatching(/^[\w-]{54}$/), atRepoSeq: 7 });
      await commit(world.owner, [{ name: 'Room/later', data: {} }]);
      await buildAll(world);
      expect(await redeemed(world, minted.exportToken)).toMatchObject({ atRepoSeq: 7 });
      const pinned = await requestExport(world.app, { query: 'prefer=async&atRepoSeq=4', token: world.session });
      expect(await pinned.json()).toMatchObject({ atRepoSeq: 4 });
    },
  );

  it(
    verifies(
      'is pending, running and complete, and complete again; only a redeemed one is downloaded',
      '2.3/state',
      '2.3/state-values',
      '3/pending',
      '3/running',
      '3/complete',
      '3/polling',
      '3/complete-again',
      '4.2/token-redeems',
    ),
    async () => {
      const world = await createExportable(engine);
      const token = await mint(world);
      const state = async () => {
        const answer = await redeem(world, token);
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        return [answer.status, await answer.json()];
      };
      expect(await state()).toEqual([202, { state: 'pending' }]);
      expect(await state()).toEqual([202, { state: 'pending' }]);
      const claimed = await claimOne(world.store);
      expect(await state()).toEqual([202, { state: 'running' }]);
      const { work } = claimed;
      await world.store.write.releaseExport({ work, now: Date.now() });
      expect(await state()).toEqual([202, { state: 'pending' }]);
      await buildAll(world);
      for (let n = 0; n < 2; n++) {
        const { url } = await redeemed(world, token);
        const file = await download(world, url);
        expect([file.status, (await file.text()).length]).toEqual([200, expect.any(Number)]);
      }
      expect(await world.store.database.query('select job_id from export_job')).toHaveLength(1);
    },
  );

  it(
    verifies(
      'gives a signed link to exactly the bytes that its digest and count are of',
      '2.4/content-type',
      '2.4/url',
      '2.4/url-ndjson',
      '2.4/url-direct',
      '2.4/expires-at',
      '2.4/expires-at-millis',
      '2.4/at-repo-seq',
      '2.4/record-count',
      '2.4/record-count-matches',
      '2.4/content-sha256',
      '2.4/content-sha256-matches',
      '8/url-valid-before',
    ),
    async () => {
      const world = await createExportable(engine);
      const token = await mint(world);
      await buildAll(world);
      const before = Date.now();
      const answer = await redeem(world, token);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
      const { url, expiresAt, ...rest } = (await answer.json()) as { url: string; expiresAt: number };
      expect(expiresAt - before).toBeGreaterThan(15 * 60_000 - 2_000);
      expect(expiresAt - Date.now()).toBeLessThanOrEqual(15 * 60_000);
      const file = await download(world, url, { 'accept-encoding': 'gzip' });
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
      expect(file.headers.get('content-encoding')).toBeNull();
      const bytes = new Uint8Array(await file.arrayBuffer());
      const { lines, recordCount, header } = parseExport(new TextDecoder().decode(bytes));
      expect(rest).toEqual({ atRepoSeq: 7, recordCount, contentSha256: sha256Of(bytes) });
      expect(header).toMatchObject({ atRepoSeq: 7, sinceRepoSeq: 0, repo: 'ada/world' });
      expect(lines).toEqual((await exportAll(world)).lines);
      expect(recordCount).toBe(lines.length);
    },
  );

  it(
    verifies(
      'holds what it was minted for: since a sequence, at a sequence',
      '4.2/since-async',
      '4.2/at-async-contents',
      '2.2/export-token-redeems',
    ),
    async () => {
      const world = await createExportable(engine);
      const queries = ['', 'sinceRepoSeq=4', 'atRepoSeq=5', 'sinceRepoSeq=2&atRepoSeq=6', 'sinceRepoSeq=7'];
      const tokens = await Promise.all(queries.map((query) => mint(world, query)));
      expect(new Set(tokens).size).toBe(queries.length);
      await commit(world.owner, [{ name: 'Room/later', data: {} }]);
      await buildAll(world);
      for (const [index, token] of tokens.entries()) {
        const pinned = [
          'atRepoSeq=7',
          'sinceRepoSeq=4&atRepoSeq=7',
          'atRepoSeq=5',
          queries[3],
          'sinceRepoSeq=7&atRepoSeq=7',
        ];
        const file = await download(world, (await redeemed(world, token)).url);
        const { lines } = await exportAll(world, pinned[index]);
        expect(parseExport(await file.text()).lines).toEqual(lines);
      }
    },
  );

  it(
    verifies(
      'is unknown by any token that was not made for this repository, and gone by one of a job that is',
      '4.2/token-unknown',
      '4.2/token-other-repo',
    ),
    async () => {
      const world = await createExportable(engine);
      (await world.owner('repo.create', { orgName: 'ada', name: 'other' })).data();
      const token = await mint(world);
      await buildAll(world);
      const refused = async (given: string, repo = 'ada/world') => {
        const query = `token=${encodeURIComponent(given)}`;
        const { status, code } = await refusalOf(await requestExport(world.app, { query, token: world.session, repo }));
        return [status, code];
      };
      const changed = [...token].map(
        (letter, at) => token.slice(0, at) + (letter === 'A' ? 'B' : 'A') + token.slice(at + 1),
      );
      for (const forged of [
        '',
        'x',
        `${token}A`,
        `${token}=`,
        ` ${token}`,
        token.slice(1),
        'ü'.repeat(54),
        ...changed,
      ]) {
        expect([forged, ...(await refused(forged))]).toEqual([forged, 404, 'export-token-unknown']);
      }
      expect(await refused(token, 'ada/other')).toEqual([404, 'export-token-unknown']);
      await world.store.write.retireExport({ ...(await addressOf(world)), now: Date.now() + 25 * HOUR_MS });
      expect(await refused(token)).toEqual([410, 'export-token-expired']);
    },
  );

  it(
    verifies(
      'is minted and redeemed by who may export, with both scopes and none other, whoever minted it',
      '4.1/export-both-scopes',
      '4.1/mint-one-scope',
      '4.1/mint-anonymous',
      '4.1/redeem-one-scope',
      '4.1/redeem-anonymous',
      '4.2/narrowed-mint',
      '4.2/narrowed-redeem',
      '4.2/component-mint',
      '4.2/component-redeem',
      '4.2/user-drives',
    ),
    async () => {
      const world = await createExportable(engine);
      const both = await world.withScopes('both', { resource: 'ada/world', permissions: [...BOTH] });
      const minted = await mint({ ...world, session: both });
      await mint(world, 'atRepoSeq=6');
      await buildAll(world);
      for (const session of [both, world.session]) {
        const { url } = await redeemed({ ...world, session }, minted);
        expect(parseExport(await (await download(world, url)).text()).recordCount).toBe(11);
      }
      const narrowed = await world.withScopes('narrowed', { permissions: [...BOTH], refs: ['**'] });
      const callers = [
        [undefined, 401],
        [await world.withScopes('read', { permissions: ['repo:read'] }), 403],
        [await world.withScopes('checkpoint', { permissions: ['repo:checkpoint-read'] }), 403],
        [narrowed, 403],
        [await world.component(), 403],
        [await world.component('setup'), 403],
      ] as const;
      for (const visibility of ['private', 'public'] as const) {
        (await world.owner('repo.setVisibility', { ...WORLD, visibility })).data();
        for (const [token, status] of callers) {
          for (const query of ['prefer=async', `token=${minted}`]) {
            const answer = await requestExport(world.app, { query, token });
            expect([answer.status, await answer.text()]).toEqual([
              status,
              expect.not.stringMatching(/downloads|exportToken"/),
            ]);
          }
        }
      }
      expect(await world.store.database.query('select job_id from export_job')).toHaveLength(2);
    },
  );

  it(
    verifies('is not minted by a refused request', '4.2/mode-ops-async', '4.2/resume-not-async', '4.2/prefer-other'),
    async () => {
      const world = await createExportable(engine);
      const after = (await exportAll(world)).rows[0]?.durableId;
      for (const [query, status, code] of [
        ['mode=ops&prefer=async', 501, 'export-mode-not-enabled'],
        ['prefer=sync', 400, 'export-parameters-conflict'],
        ['prefer=', 400, 'export-parameters-conflict'],
        ['prefer=async&atRepoSeq=8', 400, 'export-seq-unavailable'],
        ['prefer=async&sinceRepoSeq=8', 400, 'export-seq-unavailable'],
        [`prefer=async&afterDurableId=${after}&atRepoSeq=7&formatVersion=1`, 400, 'export-parameters-conflict'],
      ] as const) {
        const answer = await requestExport(world.app, { query, token: world.session });
        expect([query, await refusalOf(answer)]).toMatchObject([query, { status, code }]);
      }
      expect(await world.store.database.query('select job_id from export_job')).toEqual([]);
    },
  );

  it('says the same to export.status', async () => {
    const world = await createExportable(engine);
    const exportToken = await mint(world);
    const status = async () => (await world.owner('export.status', { ...WORLD, exportToken })).data();
    expect(await status()).toEqual({ state: 'pending', atRepoSeq: 7 });
    await buildAll(world);
    const { url: _, expiresAt: __, ...complete } = await redeemed(world, exportToken);
    expect(await status()).toMatchObject({ state: 'complete', ...complete });
    const forged = await world.owner('export.status', { ...WORLD, exportToken: 'x' });
    expect([forged.status, forged.code]).toEqual([404, 'export-token-unknown']);
  });

  it('of one account may wait in so many, and no more at once', async () => {
    const world = await createExportable(engine, { CAIRN_LIMIT_EXPORT_JOBS_WAITING: '3' });
    const asked = Array.from({ length: 7 }, (_, index) =>
      requestExport(world.app, { query: `prefer=async&atRepoSeq=${index + 1}`, token: world.session }),
    );
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429, 429, 429]);
    const full = answers.find(({ status }) => status === 429);
    expect(full?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const again = answers.findIndex(({ status }) => status === 202) + 1;
    await mint(world, `atRepoSeq=${again}`);
    await buildAll(world);
    for (let seq = 1; seq <= 3; seq++) await mint(world, `atRepoSeq=${seq}`);
  });
});

async function addressOf({ store }: Awaited<ReturnType<typeof createExportable>>) {
  const { findUnneededExports } = await import('./export-removal.sql.ts');
  const [address] = await findUnneededExports(store.database, { now: Date.now() + 25 * HOUR_MS, limit: 1 });
  if (address === undefined) throw new Error('nothing can be removed');
  return address;
}
