import { describe, expect, it } from 'vitest';
import { neighboursOf, type WalkEdge, type WalkNode } from './walk-state.ts';

const node = (id: string): WalkNode => ({ id, name: `A/${id}`, kind: 'thing', shape: 'A', isRetracted: false });
const edge = (from: string, to: string, role: string, path: string): WalkEdge => ({
  key: `${from}${to}${role}`,
  from,
  to,
  role,
  path,
});

describe('neighbours', () => {
  it('are at the other end of references both ways, with what ties them', () => {
    const nodes = new Map(['a', 'b', 'c'].map((id) => [id, node(id)]));
    const all = [edge('a', 'b', 'field', '/next/0'), edge('c', 'a', 'about', ''), edge('b', 'c', 'from', '/from')];
    const edges = new Map(all.map((one) => [one.key, one]));
    expect(neighboursOf({ nodes, edges }, 'a')).toEqual([
      { node: node('b'), direction: 'out', key: 'abfield', label: 'next' },
      { node: node('c'), direction: 'in', key: 'caabout', label: 'about' },
    ]);
  });
});
