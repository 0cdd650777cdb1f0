// References and changes against two in-memory repositories (test/support/reference), at every sequence and page size.
import type { Page } from '@cairn/protocol/page';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { graphOf } from '../../../../test/support/reference/graph.ts';
import {
  changesIn,
  type ModelRecord,
  type ModelRepo,
  referencesAcross,
  referencesOf,
} from '../../../../test/support/reference/model.ts';
import { commitIntents, ReferenceTrial } from '../../../../test/support/reference/trial.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';

type PagedRead = 'thing.refs' | 'thing.changes';

async function readAll(call: CallProcedure, name: PagedRead, input: object & { limit: number }): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = (
      await call(name, { ...input, ...(cursor !== undefined && { cursor }) } as never)
    ).data() as Page<unknown>;
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return items;
    expect(page.items).toHaveLength(input.limit);
  }
}

async function expectSameReferences(call: CallProcedure, record: ModelRecord, other: ModelRepo): Promise<void> {
  const { repo, durableId } = record;
  for (let seq = record.names[0]?.seq ?? 0; seq <= repo.seq; seq++) {
    const input = { ...repo.address, wref: durableId, atRepoSeq: seq, limit: 1 + (seq % 4) };
    expect(await readAll(call, 'thing.refs', input)).toEqual(referencesOf(record, seq));
  }
  const across = { ...repo.address, wref: record.name, acrossRepos: true, limit: 2 };
  expect(await readAll(call, 'thing.refs', across)).toEqual(referencesAcross(record, other));
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

async function expectSameGraphs(call: CallProcedure, record: ModelRecord): Promise<void> {
  const { repo, durableId } = record;
  for (let seq = record.names[0]?.seq ?? 0; seq <= repo.seq; seq++) {
    const direction = (['in', 'out', 'both'] as const)[seq % 3] ?? 'both';
    const includeRetracted = seq % 5 > 2;
    const options = { depth: 1 + (seq % 4), direction, limit: seq % 2 === 0 ? 100 : 3, includeRetracted };
    const answer = await call('thing.graph', { ...repo.address, wref: durableId, atRepoSeq: seq, ...options });
    expect(answer.status).toBe(includeRetracted || record.activeAt(seq) ? 200 : 404);
    if (answer.status === 404) continue;
    const { repoSeq: _, edges, ...rest } = answer.data();
    const wanted = graphOf(record, { ...options, seq });
    expect({ ...rest, edges: edges.sort(byText) }).toEqual({ ...wanted, edges: wanted.edges.sort(byText) });
  }
}

async function expectSameChanges(call: CallProcedure, repo: ModelRepo): Promise<void> {
  for (let since = 0; since <= repo.seq; since++) {
    for (let at = since; at <= repo.seq; at++) {
      const input = { ...repo.address, sinceRepoSeq: since, atRepoSeq: at, limit: 1 + ((since + at) % 5) };
      expect(await readAll(call, 'thing.changes', input)).toEqual(changesIn(repo, { since, at }));
    }
  }
}

describe.each(UPPER_ENGINES)('references and changes on %s', (engine) => {
  it('are what two repositories in memory have', async () => {
    const { app, store } = await createTestApp(engine);
    const call = caller(app, await createOwnerToken(store));
    let count = 0;
    await fc.assert(
      fc.asyncProperty(commitIntents, async (intents) => {
        const trial = await ReferenceTrial.start(call, `p${++count}`);
        for (const intent of intents) await trial.submit(intent);
        for (const record of trial.near.records) {
          await expectSameReferences(call, record, trial.far);
          await expectSameGraphs(call, record);
        }
        await expectSameChanges(call, trial.near);
      }),
      { numRuns: (engine === 'sqlite' ? 7 : 3) * (IS_LONG ? 2 : 1) },
    );
  });
});
