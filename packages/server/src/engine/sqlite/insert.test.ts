import { describe, expect, it } from 'vitest';
import type { Value } from '../database.ts';
import { composeInsert, insertRows } from './insert.ts';

const insert = { table: 'record', columns: ['record_id', 'kind', 'name'], rowsAtOnce: 2 };

describe('rows that are inserted at once', () => {
  it('hand over what they share once, and the rest row by row', () => {
    const rows = [
      [7, 'thing', 'a'],
      [8, 'thing', 'b'],
      [9, 'thing', 'c'],
    ];
    const composed = composeInsert(insert, { common: [1], rows });
    expect(composed.sql).toBe(
      'insert or fail into record (repo_id, record_id, kind, name) values (?1, ?3, ?2, ?4), (?1, ?5, ?2, ?6)',
    );
    const calls: Value[][] = [];
    expect(insertRows(composed, { rows, rowsAtOnce: 2 }, (values) => calls.push([...values]))).toBe(2);
    expect(calls).toEqual([[1, 'thing', 7, 'a', 8, 'b']]);
  });

  it('are compared in full: one row that differs makes its column one of the rows', () => {
    const rows = [
      [7, 'thing', null],
      [7, 'thing', null],
      [7, 'shape', null],
      [7, 'thing', null],
    ];
    const composed = composeInsert(insert, { common: [1], rows });
    expect(composed).toMatchObject({ varying: [1], shared: [1, 7, null] });
    const calls: Value[][] = [];
    insertRows(composed, { rows, rowsAtOnce: 2 }, (values) => calls.push([...values]));
    expect(calls).toEqual([
      [1, 7, null, 'thing', 'thing'],
      [1, 7, null, 'shape', 'thing'],
    ]);
  });
});
