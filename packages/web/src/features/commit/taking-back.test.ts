import type { OperationResult, RecordItem } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { changesOf, type Get, type Sides, takingBackOf } from './taking-back.ts';

const item = (version: number, data: object, active = true) =>
  ({
    durableId: 'id',
    kind: 'thing',
    name: 'A/a',
    version,
    active,
    data,
    createdBy: 'bob',
    versionCreatedAt: 7,
  }) as unknown as RecordItem;

const sides = (before: RecordItem | undefined, written: RecordItem, head: RecordItem): Sides => ({
  before,
  written,
  head,
  nameBefore: before?.name,
  nameWritten: written.name,
});

describe('what takes a commit back', () => {
  const before = item(1, { x: 1, y: 1 });
  const written = item(2, { x: 2, y: 1 });

  it('is what was before, where nothing was done since', () => {
    const [change] = changesOf(sides(before, written, written), 5, false);
    expect(change).toMatchObject({ step: 'revise', base: { version: 2 }, data: { x: 1, y: 1 } });
    expect(change).not.toHaveProperty('takenBack.since');
  });

  it('leaves what others changed since', () => {
    expect(changesOf(sides(before, written, item(3, { x: 2, y: 3, z: 1 })), 5, false)).toMatchObject([
      { base: { version: 3 }, data: { x: 1, y: 3, z: 1 }, takenBack: { repoSeq: 5, since: { version: 3 } } },
    ]);
  });

  it('conflicts with what changed the same since, and with a retraction', () => {
    for (const head of [item(3, { x: 3, y: 1 }), item(3, { x: 2, y: 1 }, false)]) {
      expect(changesOf(sides(before, written, head), 5, false)).toMatchObject([
        { base: { version: 2 }, data: { x: 1 } },
      ]);
    }
  });

  it('leaves the fields that a shape got since', () => {
    const shape = (version: number, fields: object) => ({ ...item(version, { fields }), kind: 'shape' as const });
    const first = shape(1, { label: 'string', depth: 'number' });
    const second = shape(2, { label: 'string', 'depth?': 'number' });
    const later = shape(3, { label: 'string', 'depth?': 'number', height: 'number' });
    expect(changesOf(sides(first, second, later), 5, false)).toMatchObject([
      { base: { version: 3 }, data: { fields: { label: 'string', depth: 'number', height: 'number' } } },
    ]);
    const [contested] = changesOf(sides(first, second, shape(3, { label: 'string', 'depth?': 'string' })), 5, false);
    expect(contested).toMatchObject({ base: { version: 2 } });
  });

  it('retracts what it brought back for the reason that it was retracted for', () => {
    const fallen = { ...item(1, { x: 1 }, false), reason: 'It fell' };
    const back = item(2, { x: 1 });
    expect(changesOf(sides(fallen, back, back), 5, false)).toMatchObject([{ step: 'retract', reason: 'It fell' }]);
    const unsaid = item(1, { x: 1 }, false);
    expect(changesOf(sides(unsaid, back, back), 5, false)).toMatchObject([{ reason: 'Reverts commit 5' }]);
  });

  it('is nothing where it was taken back already', () => {
    expect(changesOf(sides(before, written, item(3, { x: 1, y: 2 })), 5, false)).toEqual([]);
    expect(changesOf(sides(undefined, item(1, {}), item(2, {}, false)), 5, false)).toEqual([]);
  });

  it('names what is not to be found any more, and offers the rest', async () => {
    const get: Get = async (wref, at) => {
      if (wref === 'A/gone') return undefined;
      return at === 4 || wref.endsWith('@v1') ? before : written;
    };
    const operations = ['A/gone', 'A/a'].map(
      (name, opIndex): OperationResult => ({ opIndex, operation: 'revise', kind: 'thing', name, status: 'applied' }),
    );
    const { changes, gone } = await takingBackOf(get, 5, operations);
    expect(gone).toEqual(['A/gone']);
    expect(changes).toMatchObject([{ step: 'revise', name: 'A/a', data: { x: 1, y: 1 } }]);
  });
});
