// Compares events of narrowed listeners with the reads of the same tokens on random commits: each commit gives one
// event with exactly the visible names, or none.

import type { ScopeEntry } from '@cairn/protocol/account';
import type { RecordChange } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { describe, expect, it } from 'vitest';
import {
  createLiveWorld,
  type LiveClient,
  type LiveEvent,
  listen,
  namesIn,
  WORLD,
} from '../../../../test/support/live.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { Random } from '../../../../test/support/random.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';
import type { Engine } from '../engine/database.ts';

const COMMITS = { sqlite: 120, postgres: 40 };

const NARROWINGS: readonly Pick<ScopeEntry, 'refs' | 'shapes'>[] = [
  {},
  { refs: ['Signal/**'] },
  { refs: ['*/a*', 'Room/b'] },
  { shapes: ['Room'] },
  { shapes: ['Set', 'Claim'] },
  { refs: ['Claim/*', 'Set/**', 'Signal/a'], shapes: ['Claim', 'Signal', 'Set'] },
  { refs: ['Nothing/here'] },
];

const SHAPES = ['Signal', 'Room', 'Claim'];
const LOCAL = ['a', 'a1', 'a2', 'b', 'b1'];

function operationsOf(random: Random): object[] {
  const name = () => `${random.pick(SHAPES)}/${random.pick(LOCAL)}`;
  const one = (): object => {
    switch (random.below(9)) {
      case 0:
        return { operation: 'rename', name: name(), newName: name() };
      case 1:
        return { operation: 'retract', name: name() };
      case 2:
        return { name: `Claim/${random.pick(LOCAL)}`, about: name(), data: { n: random.below(100) } };
      case 3:
        return { kind: 'collection', type: 'set', name: `Set/${random.pick(LOCAL)}`, members: [name(), name()] };
      case 4:
        return { operation: 'revise', name: `Set/${random.pick(LOCAL)}`, data: { members: [name()] } };
      case 5:
        return { operation: 'revise', kind: 'shape', name: random.pick(SHAPES), data: { fields: { n: 'number?' } } };
      case 6:
        return { operation: 'rename', name: random.pick(SHAPES), newName: random.pick([...SHAPES, 'Other']) };
      case 7:
        return { operation: 'revise', name: name(), data: { n: random.below(100) } };
      default:
        return { name: name(), data: { n: random.below(100) } };
    }
  };
  return Array.from({ length: 1 + random.below(5) }, one);
}

interface Expected {
  readonly records: Set<string>;
  readonly targets: Set<string>;
  readonly shapes: Set<string>;
  repoSeq: number;
}

async function expectedBy(call: CallProcedure, since: number, at: number): Promise<Expected> {
  const changes = (await call('thing.changes', { ...WORLD, sinceRepoSeq: since, atRepoSeq: at, limit: 500 })).data();
  const expected: Expected = { records: new Set(), targets: new Set(), shapes: new Set(), repoSeq: 0 };
  for (const change of changes.items) {
    const names = [change.name, ...(change.nameBefore === undefined ? [] : [change.nameBefore])];
    expected.repoSeq = Math.max(expected.repoSeq, change.repoSeq);
    for (const name of names) expected.records.add(name);
    for (const name of change.kind === 'shape' ? names : [change.shapeName ?? '']) expected.shapes.add(name);
    for (const target of await targetsOf(call, change, { since, at })) expected.targets.add(target);
  }
  return expected;
}

async function targetsOf(
  call: CallProcedure,
  { durableId, kind, versionBefore }: RecordChange,
  { since, at }: { since: number; at: number },
): Promise<string[]> {
  if (kind !== 'assertion' && kind !== 'collection') return [];
  const read = async (seq: number): Promise<RecordItem | undefined> => {
    const input = { ...WORLD, wref: durableId, atRepoSeq: seq, includeRetracted: true };
    const answer = await call('thing.get', input);
    return answer.status === 200 ? answer.data() : undefined;
  };
  const after = await read(at);
  if (kind === 'assertion') return after?.aboutWref ? [nameOf(after.aboutWref)] : [];
  const before = versionBefore === undefined ? undefined : await read(since);
  const ids = [after, before].flatMap((item) => item?.refs ?? []).map(([, identity]) => nameOf(identity));
  const named = await Promise.all(
    [...new Set(ids)].map((id) => call('thing.get', { ...WORLD, wref: id, atRepoSeq: at, includeRetracted: true })),
  );
  return named.flatMap((answer) => (answer.status === 200 ? [answer.data().name] : []));
}

const nameOf = (pinned: string) => pinned.replace(/@v\d+$/, '');

function compare(event: LiveEvent, expected: Expected, about: string): void {
  const names = namesIn(event);
  expect([about, new Set(names.records)]).toEqual([about, expected.records]);
  expect([about, new Set(names.targets)]).toEqual([about, expected.targets]);
  expect([about, [...expected.shapes].filter((name) => !names.shapes.includes(name))]).toEqual([about, []]);
}

interface Listening {
  readonly isNarrowed: boolean;
  readonly call: CallProcedure;
  readonly client: LiveClient;
}

async function createListeners(engine: Engine) {
  const world = await createLiveWorld(engine);
  await world.commit(['Room', 'Claim'].map((name) => ({ kind: 'shape', name, data: { fields: { n: 'number?' } } })));
  await world.commit([
    { name: 'Room/b', data: {} },
    { kind: 'collection', type: 'set', name: 'Set/first', members: ['Room/b'] },
  ]);
  const listeners: Listening[] = [];
  for (const [n, narrowing] of NARROWINGS.entries()) {
    const scopes = [{ resource: 'acme/world', permissions: ['repo:read' as const], ...narrowing }];
    const { token } = await createToken(world.store, { email: 'ada@example.com', name: `n${n}`, scopes });
    const call = caller(world.app, token);
    listeners.push({ isNarrowed: n > 0, call, client: await listen(world.url, call) });
  }
  return { ...world, listeners };
}

describe.each(UPPER_ENGINES)('narrowed listeners on %s', (engine) => {
  it('hear of all that they may read, and of nothing else', async () => {
    const { owner, url, live, listeners } = await createListeners(engine);
    const random = new Random(TEST_SEED);
    const watch = await listen(url, owner);
    let [silent, heard] = [0, 0];
    for (let seq = 3, commits = 0; commits < COMMITS[engine]; commits++) {
      const operations = operationsOf(random);
      const answer = await owner('commit.submit', { ...WORLD, operations, atomic: false });
      const at = answer.status === 200 ? answer.data().repoSeq : seq;
      if (at === seq) continue;
      const all = await expectedBy(owner, seq, at);
      if (all.records.size > 0) expect((await watch.next()).id).toBe(String(at));
      for (const { call, client } of listeners) {
        const expected = await expectedBy(call, seq, at);
        const about = JSON.stringify({ operations, at });
        if (expected.records.size === 0) {
          silent++;
          expect([about, client.pending]).toEqual([about, []]);
          continue;
        }
        const event = await client.next();
        heard++;
        expect([about, event.id]).toEqual([about, String(at)]);
        compare(event, expected, about);
      }
      seq = at;
    }
    expect(silent).toBeGreaterThan(COMMITS[engine] / 2);
    expect(heard).toBeGreaterThan(COMMITS[engine] / 2);
    await live.close();
    for (const { client } of listeners) {
      await client.until(() => client.ended);
      expect(client.pending).toEqual([]);
    }
  });

  it('are told of what they missed together, by what differs in the end', async () => {
    const { owner, url, live, listeners } = await createListeners(engine);
    const random = new Random(TEST_SEED + 1);
    for (let n = 0; n < COMMITS[engine] / 2; n++) {
      await owner('commit.submit', { ...WORLD, operations: operationsOf(random), atomic: false });
    }
    const { repoSeq } = (await owner('repo.get', WORLD)).data();
    const silent: LiveClient[] = [];
    for (const { call, isNarrowed } of listeners) {
      for (const since of random.some(
        Array.from({ length: repoSeq }, (_, seq) => seq),
        6,
      )) {
        const expected = await expectedBy(call, since, repoSeq);
        const client = await listen(url, call, String(since));
        if (expected.records.size === 0) silent.push(client);
        else {
          const event = await client.next();
          compare(event, expected, `since ${since}`);
          // The id must not reveal the sequence of a hidden commit.
          expect(event.id).toBe(String(isNarrowed ? expected.repoSeq : repoSeq));
        }
      }
    }
    // Streams that fell behind are served in turn: when this one has heard, so would the others have.
    expect((await (await listen(url, owner, '0')).next()).id).toBe(String(repoSeq));
    await live.close();
    for (const client of silent) {
      await client.until(() => client.ended);
      expect(client.pending).toEqual([]);
    }
    expect(silent.length).toBeGreaterThan(0);
  });
});
