// Exports against an in-memory history of random commits (test/support/export). `CAIRN_TEST_EXPORT_RUNS` multiplies the
// runs, `CAIRN_TEST_SEED` sets the seed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { receivedOf, receiveInPieces } from '../../../../test/support/export/cut.ts';
import { shownRow } from '../../../../test/support/export/history.ts';
import { type ExportIntent, exportIntents } from '../../../../test/support/export/intent.ts';
import { ReplayedExport } from '../../../../test/support/export/replay.ts';
import { type ExportPair, ExportWorld, repoOf } from '../../../../test/support/export/world.ts';
import { parseExport, requestExport } from '../../../../test/support/export.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { createTestApp } from '../../../../test/support/server.ts';
import { amount } from '../../../../test/support/suite.ts';
import { canonical, sha256 } from '../admin/verify/field.ts';

const RUNS = amount('EXPORT_RUNS', { short: 1, long: 3 });
const PLANS = [
  { engine: 'sqlite', numRuns: 2 * RUNS },
  { engine: 'postgres', numRuns: RUNS },
] as const;

async function expectExport(world: ExportWorld, pair: ExportPair, { since, at }: { since: number; at: number }) {
  const { header, rows, lines, recordCount } = await world.export(pair, `sinceRepoSeq=${since}&atRepoSeq=${at}`);
  const expected = world.rows(pair, { since, at });
  expect(header).toMatchObject({ repo: repoOf(pair), sinceRepoSeq: since, atRepoSeq: at });
  expect(header.commitId).toBe(pair.history.commitIdAt(at));
  expect(rows.map(shownRow)).toEqual(expected.map(shownRow));
  expect(recordCount).toBe(expected.length);
  for (const [index, { data, dataHash }] of rows.entries()) {
    const text = canonical(data);
    expect(lines[index]).toContain(`"data":${text}`);
    expect(dataHash).toBe(Buffer.from(sha256(text)).toString('hex'));
  }
}

interface Choices {
  readonly cuts: readonly (readonly number[])[];
  readonly picks: readonly number[];
}

/** Doubles would mostly be near 0. */
const share = fc.nat(1_000_000).map((millionths) => millionths / 1_000_000);

const choices: fc.Arbitrary<Choices> = fc.record({
  cuts: fc.array(fc.array(share, { minLength: 1, maxLength: 5 }), { maxLength: 8 }),
  picks: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
});

const pickAt = ({ picks }: Choices, index: number) => picks[index % picks.length] ?? 0;

async function expectSameAtEverySequence(world: ExportWorld, pair: ExportPair, given: Choices): Promise<void> {
  for (let at = 0; at <= pair.history.repoSeq; at++) {
    await expectExport(world, pair, { since: 0, at });
    await expectExport(world, pair, { since: pickAt(given, at) % (at + 1), at });
  }
}

async function expectSameInPieces(world: ExportWorld, pair: ExportPair, given: Choices): Promise<void> {
  const ask = async (query: string) => {
    const answer = await requestExport(world.app, { query, token: pair.session, repo: repoOf(pair) });
    expect(answer.status).toBe(200);
    return new Uint8Array(await answer.arrayBuffer());
  };
  for (const [index, cuts] of given.cuts.entries()) {
    const at = Math.max(0, pair.history.repoSeq - (pickAt(given, index) % 3));
    const since = index % 2 === 0 ? 0 : pickAt(given, index) % (at + 1);
    const pin = `atRepoSeq=${at}&sinceRepoSeq=${since}`;
    const { rows } = receivedOf(await ask(pin));
    expect((await receiveInPieces(ask, pin, cuts)).equals(rows)).toBe(true);
  }
}

/** A full export followed by every increment equals the full export at the end. */
async function expectSameReplayed(world: ExportWorld, pair: ExportPair, given: Choices): Promise<void> {
  const replayed = new ReplayedExport();
  let since = 0;
  for (let step = 0; since < pair.history.repoSeq || step === 0; step++) {
    const at = Math.min(pair.history.repoSeq, since + 1 + (pickAt(given, step) % 6));
    replayed.apply((await world.export(pair, `sinceRepoSeq=${since}&atRepoSeq=${at}`)).rows);
    expect(replayed.rows()).toEqual((await world.export(pair, `atRepoSeq=${at}`)).rows);
    since = at;
  }
}

async function submitWhileReading(world: ExportWorld, intents: readonly ExportIntent[]): Promise<void> {
  const [pair] = world.pairs;
  const before = await world.export(pair, '');
  const { body } = await requestExport(world.app, { token: pair.session, repo: repoOf(pair) });
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  const left = [...intents];
  for (;;) {
    const next = left.shift();
    if (next !== undefined) await world.submit(next);
    const { value } = (await reader?.read()) ?? {};
    if (value !== undefined) chunks.push(value);
    else if (next === undefined) break;
  }
  const { lines, recordCount } = parseExport(Buffer.concat(chunks).toString());
  expect(lines).toEqual(before.lines);
  expect(recordCount).toBe(before.recordCount);
}

describe.each(PLANS)('random exports on $engine', ({ engine, numRuns }) => {
  const options = { timeout: 60_000 + numRuns * 20_000 };

  it('hold what the commits did, whole, in pieces, in increments, and while there are more', options, async () => {
    const testApp = await createTestApp(engine);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(exportIntents, choices, async (intents, given) => {
        const world = await ExportWorld.start(testApp, `p${++count}`);
        const half = Math.floor(intents.length / 2);
        for (const intent of intents.slice(0, half)) await world.submit(intent);
        await submitWhileReading(world, intents.slice(half));
        for (const pair of world.pairs) {
          await expectSameAtEverySequence(world, pair, given);
          await expectSameInPieces(world, pair, given);
          await expectSameReplayed(world, pair, given);
        }
      }),
      { numRuns, seed: TEST_SEED },
    );
  });
});
