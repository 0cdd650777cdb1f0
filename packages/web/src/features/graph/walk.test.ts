import { CairnError, type Graph } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import type { Around, TiesPage } from './graph.ts';
import { Walk } from './walk.ts';

type Link = readonly [from: string, to: string];

function around(links: readonly Link[], name: string, { depth, limit }: Around): Graph {
  const beside = new Map<string, string[]>();
  const tie = (one: string, other: string) => {
    const others = beside.get(one);
    if (others === undefined) beside.set(one, [other]);
    else others.push(other);
  };
  for (const [from, to] of links) {
    tie(from, to);
    tie(to, from);
  }
  const distances = new Map([[name, 0]]);
  let [level, truncated] = [[name], false];
  for (let distance = 1; distance <= depth && !truncated; distance++) {
    const next = new Set(level.flatMap((one) => beside.get(one) ?? []));
    level = [...next].filter((one) => !distances.has(one));
    truncated = level.length > limit - distances.size;
    for (const one of level.slice(0, limit - distances.size)) distances.set(one, distance);
  }
  return {
    repoSeq: 1,
    nodes: [...distances].map(([one, distance]) => ({
      durableId: `id-${one}`,
      wref: one,
      kind: 'thing',
      shapeName: one.split('/')[0] ?? '',
      active: true,
      distance,
    })),
    edges: links
      .filter(([from, to]) => distances.has(from) && distances.has(to))
      .map(([from, to]) => ({ from: `id-${from}`, to: `id-${to}`, role: 'field', path: '/next' })),
    truncated,
  };
}

const TIES = 250;

function ties(links: readonly Link[], id: string, start: number): TiesPage {
  const tied = links.filter((link) => link.some((name) => `id-${name}` === id)).slice(start);
  const { nodes, edges } = around(tied.slice(0, TIES), id.slice('id-'.length), { depth: 1, limit: TIES + 1 });
  return { nodes, edges, ...(tied.length > TIES && { nextCursor: String(start + TIES) }) };
}

function open(links: Link[], from = 'A/0') {
  const asked: string[] = [];
  const gone = new Set<string>();
  const refuses = new Set<string>();
  const walk = new Walk(from, {
    around: (name, options) => {
      asked.push(name);
      if (gone.has(name)) return Promise.reject(new CairnError('NOT_FOUND', { message: 'It is gone.' }));
      if (refuses.has(name)) return Promise.reject(new CairnError('RATE_LIMITED', { message: 'Too often.' }));
      return Promise.resolve(around(links, name, options));
    },
    ties: (id, cursor) => Promise.resolve(ties(links, id, Number(cursor ?? 0))),
  });
  const names = () =>
    [...walk.state().nodes.values()].map(({ name }) => name).sort((one, other) => (one < other ? -1 : 1));
  return { walk, asked, gone, refuses, names };
}

const chain = (length: number): Link[] => Array.from({ length }, (_, index) => [`A/${index}`, `A/${index + 1}`]);
const star = (hubs: number, leaves: number): Link[] =>
  Array.from({ length: hubs }, (_, hub) => [
    ['A/0', `B/${hub}`] as const,
    ...Array.from({ length: leaves }, (__, leaf) => [`B/${hub}`, `C/${hub}-${leaf}`] as const),
  ]).flat();
const everything = () => true;

describe('a walk', () => {
  it('begins with what is two references away, and goes on where a record is expanded', async () => {
    const { walk, names } = open(chain(6));
    await walk.show([]);
    expect(names()).toEqual(['A/0', 'A/1', 'A/2']);
    await walk.show(['A/2']);
    expect(names()).toEqual(['A/0', 'A/1', 'A/2', 'A/3']);
    expect(walk.state().edges.size).toBe(3);
  });

  it('asks once for what an address says was opened', async () => {
    const { walk, asked } = open(chain(6));
    await walk.show(['A/2']);
    await walk.show(['A/2', 'A/3']);
    expect(asked).toEqual(['A/0', 'A/2', 'A/3']);
  });

  it('folds what was opened, with what only that led to', async () => {
    const { walk, asked, names } = open([...chain(6), ['B/0', 'A/1'], ['B/0', 'B/1'], ['B/1', 'B/2']]);
    await walk.show([]);
    const before = names();
    await walk.show(['A/2', 'B/0']);
    await walk.show(['A/2', 'B/0', 'A/3']);
    expect(names()).toEqual(['A/0', 'A/1', 'A/2', 'A/3', 'A/4', 'B/0', 'B/1']);
    expect(await walk.fold(['B/0', 'A/3'])).toEqual(['B/0']);
    expect(names()).toEqual(['A/0', 'A/1', 'A/2', 'B/0', 'B/1']);
    expect(walk.state().complete.has('id-A/2')).toBe(false);
    const count = asked.length;
    await walk.fold(['B/0']);
    expect(asked).toHaveLength(count);
    await walk.show(['B/0', 'A/2']);
    expect(names()).toEqual(['A/0', 'A/1', 'A/2', 'A/3', 'B/0', 'B/1']);
    await walk.fold([]);
    expect(names()).toEqual(before);
  });

  it('keeps what is shown where it cannot be folded', async () => {
    const { walk, names, gone } = open(chain(6));
    await walk.show(['A/2']);
    gone.add('A/0');
    await walk.fold([]);
    expect(walk.state().problem).toBeInstanceOf(CairnError);
    expect(names()).toEqual(['A/0', 'A/1', 'A/2', 'A/3']);
  });

  it('holds five thousand records, asking only for those whose neighbours are not held', async () => {
    const { walk, asked, names } = open(star(70, 71));
    await walk.show([]);
    expect(names()).toHaveLength(300);
    const opened = await walk.expandAll(everything);
    expect(names()).toHaveLength(1 + 70 + 70 * 71);
    expect(opened.length).toBeLessThanOrEqual(70);
    expect(await walk.expandAll(everything)).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(71);
  });

  it('expands hundreds that one answer tells of by asking for a few', async () => {
    // Ten around the first, each with twenty leaves. Each leaf leads to one more.
    const leaves = Array.from({ length: 10 * 20 }, (_, leaf): Link[] => [
      [`C/${leaf}`, `B/${leaf % 10}`],
      [`C/${leaf}`, `D/${leaf}`],
    ]);
    const { walk, asked, names } = open([...star(10, 0), ...leaves.flat()]);
    await walk.show([]);
    expect(names()).toHaveLength(1 + 10 + 200);
    const opened = await walk.expandAll(everything);
    expect(names()).toHaveLength(1 + 10 + 200 + 200);
    expect(asked.length).toBeLessThanOrEqual(30);
    expect(opened.filter((name) => name.startsWith('C/'))).toHaveLength(200);
    const again = open([...star(10, 0), ...leaves.flat()]);
    await again.walk.show(opened);
    expect(again.names()).toEqual(names());
    expect(await again.walk.fold(opened.slice(1))).toHaveLength(199);
    expect(again.names()).toHaveLength(1 + 10 + 200 + 199);
  });

  it('asks narrowly, many at once, where wide answers tell of nothing else', async () => {
    const reaches: Around[] = [];
    let [running, most] = [0, 0];
    const links = star(900, 0);
    const walk = new Walk('A/0', {
      around: async (name, options) => {
        reaches.push(options);
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        return around(links, name, options);
      },
      ties: () => Promise.reject(new Error('Nothing is asked for page by page.')),
    });
    await walk.show([]);
    await walk.expandAll(everything);
    expect(walk.state().problem).toBeUndefined();
    expect(walk.state().nodes.size).toBe(500);
    expect(reaches.filter(({ depth }) => depth > 1).length).toBeLessThanOrEqual(11);
    expect([reaches.length, most]).toEqual([301, 20]);
  });

  it('knows when all is there, without a step that brings nothing', async () => {
    const { walk, names } = open([['D/0', 'A/0'], ...star(12, 1)], 'D/0');
    await walk.show([]);
    expect(names()).toHaveLength(14);
    await walk.expandAll(everything);
    expect(names()).toHaveLength(26);
    expect(walk.state().complete.size).toBe(26);
  });

  it('leaves out what is filtered away', async () => {
    const { walk, names } = open([...chain(2), ['B/0', 'A/2'], ['B/0', 'B/1'], ['A/2', 'A/3']]);
    await walk.show([]);
    await walk.expandAll(({ shape }) => shape !== 'A');
    expect(names()).toEqual(['A/0', 'A/1', 'A/2']);
    await walk.expandAll(everything);
    expect(names()).toEqual(['A/0', 'A/1', 'A/2', 'A/3', 'B/0']);
  });

  it('says which record has more neighbours than one answer', async () => {
    const { walk } = open(star(600, 0));
    await walk.show([]);
    expect(walk.state().cut.size).toBe(0);
    await walk.show(['A/0', 'B/0']);
    await walk.expandAll(({ shape }) => shape === 'A');
    expect(walk.state().nodes.size).toBe(500);
    expect(walk.state().cut).toEqual(new Set(['id-A/0']));
  });

  it('says that it begins with a part, and expands the record that it begins at, page by page, until it has all', async () => {
    const { walk, names } = open(star(1_100, 0));
    await walk.show([]);
    expect([names().length, walk.state().isPart]).toEqual([300, true]);
    const counts = [];
    while (!walk.state().complete.has('id-A/0')) {
      await walk.expand('A/0');
      counts.push(names().length);
    }
    expect(counts).toEqual([500, 751, 1_001, 1_101]);
    await walk.expandAll(everything);
    expect([walk.state().edges.size, walk.state().cut.size, walk.state().isPart]).toEqual([1_100, 0, false]);
    await walk.fold([]);
    expect([names().length, walk.state().isPart]).toEqual([300, true]);
    await walk.expand('A/0');
    expect(names()).toHaveLength(500);
  });

  it('knows after a change that there is more than it has', async () => {
    const links = star(200, 0);
    const { walk, names } = open(links);
    await walk.show([]);
    expect([names().length, walk.state().isPart, walk.state().complete.has('id-A/0')]).toEqual([201, false, true]);
    links.push(...star(400, 0).slice(200));
    await walk.refresh(new Set());
    expect([names().length, walk.state().isPart]).toEqual([300, true]);
    await walk.expand('A/0');
    expect(names()).toHaveLength(401);
  });

  it('stops when it is told to', async () => {
    const { walk, names } = open(star(70, 71));
    await walk.show([]);
    const expanding = walk.expandAll(everything);
    walk.subscribe(() => walk.stop());
    await expanding;
    expect(names().length).toBeLessThan(2_000);
    expect(walk.state().work).toBeUndefined();
  });

  it('keeps what went wrong, and goes on when it is asked to', async () => {
    const { walk, names, gone, refuses } = open(chain(3));
    gone.add('A/0');
    await walk.show([]);
    expect(walk.state().problem).toBeInstanceOf(CairnError);
    gone.clear();
    await walk.show([]);
    expect(walk.state().problem).toBeUndefined();
    expect(names()).toHaveLength(3);
    refuses.add('A/2');
    await walk.show(['A/2']);
    expect(walk.state().problem).toBeInstanceOf(CairnError);
    refuses.clear();
    await walk.show(['A/2']);
    expect(names()).toHaveLength(4);
  });

  it('follows what changes next to what is expanded', async () => {
    const links = chain(2);
    const { walk, names, gone } = open(links);
    await walk.show([]);
    links.push(['B/new', 'A/0'], ['B/far', 'B/new']);
    await walk.refresh(new Set(['B/new', 'B/far', 'B']));
    expect(names()).toEqual(['A/0', 'A/1', 'A/2', 'B/new']);
    links.splice(0, 1);
    await walk.refresh(new Set(['A/0']));
    expect([...walk.state().edges.values()].map(({ from, to }) => [from, to])).toEqual([
      ['id-A/1', 'id-A/2'],
      ['id-B/new', 'id-A/0'],
    ]);
    gone.add('A/1');
    await walk.refresh(new Set(['A/1']));
    expect(names()).toEqual(['A/0', 'A/2', 'B/new']);
    expect(walk.state().edges.size).toBe(1);
  });
});
