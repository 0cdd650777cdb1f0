import { CairnError, type Graph, type ListedRecord } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { gatherWhole, WHOLE_REACH } from './whole-graph.ts';

type Link = readonly [from: number, to: number];

const listed = (id: number) => ({
  durableId: `id-${id}`,
  name: `A/${id}`,
  kind: 'thing',
  shapeName: 'A',
  active: true,
});

function repository(count: number, links: readonly Link[]) {
  const asked: string[] = [];
  const around = (start: number): Graph => {
    const distances = new Map([[start, 0]]);
    for (const [id, distance] of distances) {
      if (distance === WHOLE_REACH.depth) continue;
      for (const [from, to] of links) {
        if (from === id && !distances.has(to)) distances.set(to, distance + 1);
        if (to === id && !distances.has(from)) distances.set(from, distance + 1);
      }
    }
    const nodes = [...distances].map(([id, distance]) => {
      const { name, ...node } = listed(id);
      return { ...node, wref: name, distance, kind: 'thing' as const };
    });
    const edges = links
      .filter(([from, to]) => distances.has(from) && distances.has(to))
      .map(([from, to]) => ({ from: `id-${from}`, to: `id-${to}`, role: 'field', path: '/next' }));
    return { repoSeq: 1, nodes, edges, truncated: false };
  };
  const records = Array.from({ length: count }, (_, id) => listed(id) as ListedRecord);
  const ask = async (id: string) => {
    asked.push(id);
    return around(Number(id.slice(3)));
  };
  return { asked, gather: () => gatherWhole(records, ask) };
}

const ids = ({ nodes }: { nodes: readonly { durableId: string }[] }) => nodes.map(({ durableId }) => durableId).length;

describe('the whole graph', () => {
  it('is one answer where all of it is near', async () => {
    const { gather, asked } = repository(4, [
      [0, 1],
      [1, 2],
      [3, 0],
    ]);
    const whole = await gather();
    expect([ids(whole), whole.edges.length, asked]).toEqual([4, 3, ['id-0']]);
  });

  it.each([13, 14, 40])('has every reference of a ring of %i, which no answer has', async (length) => {
    const ring = Array.from({ length }, (_, id): Link => [id, (id + 1) % length]);
    const whole = await repository(length, ring).gather();
    expect([ids(whole), whole.edges.length]).toEqual([length, length]);
  });

  it('has what is alone, twenty at once', async () => {
    const { gather, asked } = repository(45, [[0, 1]]);
    const whole = await gather();
    expect([ids(whole), whole.edges.length, asked.length]).toEqual([45, 1, 44]);
  });

  it('is none of nothing, and goes on where a record has gone', async () => {
    const refuse = () => Promise.reject(new CairnError('NOT_FOUND', { message: 'It is gone.' }));
    expect(await gatherWhole([], refuse)).toEqual({ nodes: [], edges: [] });
    expect(ids(await gatherWhole([listed(0) as ListedRecord], refuse))).toBe(1);
    const down = () => Promise.reject(new Error('down'));
    await expect(gatherWhole([listed(0) as ListedRecord], down)).rejects.toThrow('down');
  });
});
