import { declaredFields } from '@cairn/model/declaration';
import type { ListedRecord } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { shortOf, targetsOfRow, toRow } from './row.ts';

const record = (data: unknown): ListedRecord => ({
  durableId: '01',
  wref: 'Sensor/t1',
  pinnedWref: 'Sensor/t1@v2',
  name: 'Sensor/t1',
  kind: 'thing',
  shapeName: 'Sensor',
  version: 2,
  active: true,
  repoSeq: 3,
  data,
  createdBy: 'user:ada',
  recordCreatedAt: 1,
  versionCreatedAt: 2,
});

describe('a value in short', () => {
  it.each([
    [{ x: 3, label: 'a cave', tags: ['a', 'b'] }, 'x: 3, label: a cave, tags: [a, b]'],
    [['a', { b: null }, true], 'a, { b: null }, true'],
    ['text', 'text'],
    [{}, ''],
  ])('is one line: %j', (value, text) => {
    expect(shortOf(value, 100)).toBe(text);
  });

  it('is cut, and what is beyond is not looked at', () => {
    const seen: number[] = [];
    const large = Array.from({ length: 1_000 }, (_, n) => ({
      get n() {
        seen.push(n);
        return n;
      },
    }));
    expect(shortOf(large, 20)).toMatch(/^\{ n: 0 \}, \{ n: 1 \}.*…$/);
    expect(seen.length).toBeLessThan(10);
    expect(shortOf('x'.repeat(1_000_000), 50)).toBe(`${'x'.repeat(50)}…`);
    expect(shortOf('😀'.repeat(50), 5)).toBe('😀😀…');
  });
});

describe('a row', () => {
  const columns = declaredFields({ room: 'wref', score: 'number', 'label?': 'string', at: { x: 'number' } });

  it('has a cell for each column', () => {
    const { cells } = toRow(record({ room: 'Room/hall@v1', score: 0.5, at: { x: 1 } }), columns);
    expect(cells.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'wref Room/hall@v1',
      'number 0.5',
      'text x: 1',
      'number 1',
      'none ',
    ]);
  });

  it('without columns has the data in short, and keeps nothing else of it', () => {
    const row = toRow(record({ note: 'y'.repeat(1_000_000) }), undefined);
    expect(row.cells.map(({ text }) => text.length)).toEqual([241]);
    expect(JSON.stringify(row).length).toBeLessThan(1_000);
  });

  it('is not misled by what an object has by itself', () => {
    const own = declaredFields({ constructor: 'string' });
    expect(toRow(record({}), own).cells).toEqual([{ kind: 'none', text: '' }]);
  });
});

describe('what a row refers to', () => {
  const columns = declaredFields({ 'home/old': 'wref', at: { place: 'wref' }, far: 'wref', name: 'string' });
  const data = {
    'home/old': 'Place/hut@v1',
    at: { place: 'Place/cave@v3' },
    far: 'wh:acme/world/Place/sea@v1',
    name: 'Place/hut',
  };
  const refs: [string, string][] = [
    ['/home~1old', '01HUT@v1'],
    ['/at/place', '01CAVE@v3'],
    ['/far', '01SEA@v1'],
  ];

  it('is known by identity, as far as it is here and shown', () => {
    const row = toRow({ ...record(data), refs, aboutWref: 'Place/hut@v2', aboutDurableId: '01HUT@v2' }, columns);
    expect(targetsOfRow(row)).toEqual(['01HUT', '01HUT', '01CAVE']);
    expect(targetsOfRow(toRow({ ...record(data), refs }, undefined))).toEqual([]);
    expect(targetsOfRow(toRow({ ...record(data), aboutWref: null }, columns))).toEqual([]);
  });

  it('is known of lists too, as far as a cell has room', () => {
    const list = declaredFields({ stops: ['wref'] });
    const stops = [
      'Place/hut@v1',
      'wh:acme/world/Place/sea@v1',
      ...Array.from({ length: 50 }, (_, n) => `Place/p${n}@v1`),
    ];
    const ids = stops.map((_, index): [string, string] => [`/stops/${index}`, `01P${index}@v1`]);
    const row = toRow({ ...record({ stops: stops.slice(0, 2) }), refs: ids.slice(0, 2) }, list);
    expect(row.cells).toMatchObject([{ kind: 'wref', text: 'Place/hut@v1, wh:acme/world/Place/sea@v1', isCut: false }]);
    expect(targetsOfRow(row)).toEqual(['01P0']);
    const long = toRow({ ...record({ stops }), refs: ids }, list);
    expect(targetsOfRow(long).length).toBeLessThan(10);
    expect(long.cells).toMatchObject([{ isCut: true }]);
    expect(toRow({ ...record({ stops: ['a', 'b'] }), refs: [] }, list).cells).toEqual([{ kind: 'text', text: 'a, b' }]);
  });
});
