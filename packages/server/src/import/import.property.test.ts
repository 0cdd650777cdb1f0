// Copies of random repositories export, read and accept commits like the original. `CAIRN_TEST_EXPORT_RUNS` multiplies
// the runs, `CAIRN_TEST_SEED` sets the seed.

import { parseDurableId } from '@cairn/model/wref';
import type { ExportRow } from '@cairn/protocol/export';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createCopy,
  importRange,
  neutral,
  type RepositoryCopy,
  sendToCopy,
} from '../../../../test/support/export/copy.ts';
import { shownRow } from '../../../../test/support/export/history.ts';
import { type ExportIntent, exportIntents } from '../../../../test/support/export/intent.ts';
import { readEverything } from '../../../../test/support/export/reading.ts';
import { ExportWorld, type Sent } from '../../../../test/support/export/world.ts';
import { parseExport, requestExport } from '../../../../test/support/export.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { createTestApp } from '../../../../test/support/server.ts';
import { amount } from '../../../../test/support/suite.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import { buildIndexes } from '../shape/index-build.job.ts';
import type { Store } from '../store.ts';

const RUNS = amount('EXPORT_RUNS', { short: 1, long: 3 });
const PLANS = [
  { engine: 'sqlite', numRuns: 2 * RUNS },
  { engine: 'postgres', numRuns: RUNS },
] as const;

interface Choices {
  readonly isFarPublic: boolean;
  readonly stops: readonly number[];
  readonly rows: number;
}

const share = fc.nat(1_000).map((thousandths) => thousandths / 1_000);

const choices: fc.Arbitrary<Choices> = fc.record({
  isFarPublic: fc.boolean(),
  stops: fc.array(share, { maxLength: 4 }),
  rows: fc.integer({ min: 1, max: 30 }),
});

async function exportCopy(world: ExportWorld, { address, original }: RepositoryCopy, query = '') {
  const repo = `${address.orgName}/${address.repoName}`;
  const answer = await requestExport(world.app, { token: original.session, repo, query });
  expect(answer.status).toBe(200);
  return parseExport(await answer.text());
}

function expectedRows(world: ExportWorld, rows: readonly ExportRow[], isFarPublic: boolean): ExportRow[] {
  const farId = world.pairs[1].real.grant.repoId;
  const isLost = (identity: string) => !isFarPublic && parseDurableId(identity.slice(0, 26))?.repoId === farId;
  return rows.map(({ refs, aboutDurableId, ...row }) => {
    const kept = refs?.filter(([, identity]) => !isLost(identity)) ?? [];
    return {
      ...row,
      ...(kept.length > 0 && { refs: kept }),
      ...(aboutDurableId !== undefined && !isLost(aboutDurableId) && { aboutDurableId }),
    };
  });
}

async function copyInSteps(world: ExportWorld, copy: RepositoryCopy, { isFarPublic, stops, rows }: Choices) {
  const { repoSeq } = copy.original.history;
  const ends = [...stops.map((stop) => 1 + Math.floor(stop * (repoSeq - 1))), repoSeq];
  let since = 0;
  for (const at of [...new Set(ends)].sort((a, b) => a - b)) {
    const finished = await importRange(world, copy, { since, at, rows });
    if (rows % 4 !== 0) await buildIndexes(copy.original.real.store);
    const made = await exportCopy(world, copy);
    const original = await world.export(copy.original, `atRepoSeq=${at}`);
    expect(neutral(copy, made.rows)).toEqual(neutral(copy, expectedRows(world, original.rows, isFarPublic)));
    expect(made.header).toMatchObject({ atRepoSeq: at, commitId: 'commitId' in finished ? finished.commitId : '' });
    since = at;
  }
}

function withoutOwnNames({ operations, ...intent }: ExportIntent): ExportIntent {
  const named = operations.filter((one) => one.do !== 'collectAgain' && (one.do !== 'collect' || one.name));
  return {
    ...intent,
    isFar: false,
    operations: named.map((one) =>
      (one.do === 'add' || one.do === 'collect') && one.name
        ? { ...one, name: { ...one.name, label: undefined } }
        : one,
    ),
  };
}

/** Removes hashes: the copy receives plain-text addresses as another text, so its hashes differ. */
function answered(answer: unknown): unknown {
  const hidden = new Set(['commitId', 'dataHash']);
  const { code, details, ...rest } = answer as Record<string, unknown>;
  const shown = code === undefined ? rest : { code, details };
  return JSON.parse(JSON.stringify(shown, (key, value) => (hidden.has(key) ? undefined : value)));
}

async function expectSameCommits(world: ExportWorld, copy: RepositoryCopy, intents: readonly ExportIntent[]) {
  const some = intents.map(withoutOwnNames).filter(({ operations }) => operations.length > 0);
  for (const intent of some) {
    const sent: Sent = await world.submit(intent);
    const answer = await sendToCopy(copy, sent);
    expect(neutral(copy, answered(answer))).toEqual(neutral(copy, answered(sent.answer)));
  }
}

const withoutOwn = (copy: RepositoryCopy, rows: readonly ExportRow[]) =>
  (neutral(copy, rows) as ExportRow[]).map((row) =>
    shownRow({ ...row, recordCreatedAt: 0, versionCreatedAt: 0, dataHash: '' }),
  );

async function differencesIn(store: Store, { address: { orgName, repoName } }: RepositoryCopy): Promise<string[]> {
  const [row] = await store.database.query<{ id: number }>(
    `select r.id from repository r join organization o on o.id = r.organization_id where o.name = $1 and r.name = $2`,
    [orgName, repoName],
  );
  return await verifyRepository(store, row?.id ?? 0);
}

describe.each(PLANS)('copies on $engine', ({ engine, numRuns }) => {
  const options = { timeout: 60_000 + numRuns * 30_000 };

  it('export, read and grow as their originals', options, async () => {
    const testApp = await createTestApp(engine);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(exportIntents, exportIntents, choices, async (intents, later, given) => {
        const world = await ExportWorld.start(testApp, `p${++count}`);
        for (const intent of intents) await world.submit(intent);
        const [near, far] = world.pairs;
        if (given.isFarPublic) {
          const { orgName, name: repoName } = far.real.grant.repository;
          const owner = caller(world.app, far.session);
          (await owner('repo.setVisibility', { orgName, repoName, visibility: 'public' })).data();
        }
        const copy = await createCopy(world, near);
        await copyInSteps(world, copy, given);
        await buildIndexes(testApp.store);
        expect(await differencesIn(testApp.store, copy)).toEqual([]);
        if (!given.isFarPublic) return;
        const { orgName, name: repoName } = near.real.grant.repository;
        const original = await readEverything(copy.call, { orgName, repoName });
        expect(neutral(copy, await readEverything(copy.call, copy.address))).toEqual(neutral(copy, original));
        const { repoSeq } = near.history;
        await expectSameCommits(world, copy, later.slice(0, 8));
        expect(await differencesIn(testApp.store, copy)).toEqual([]);
        for (const since of [0, repoSeq]) {
          const expected = await world.export(near, `sinceRepoSeq=${since}`);
          const { rows } = await exportCopy(world, copy, `sinceRepoSeq=${since}`);
          expect(withoutOwn(copy, rows)).toEqual(withoutOwn(copy, expected.rows));
        }
      }),
      { numRuns, seed: TEST_SEED, endOnFailure: true },
    );
  });
});
