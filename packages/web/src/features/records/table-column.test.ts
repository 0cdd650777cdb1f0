import { declaredFields } from '@cairn/model/declaration';
import { describe, expect, it } from 'vitest';
import { fittedColumns, grownColumns, nameInTable, type RecordRow, tableColumns } from './row.ts';

const COLUMNS = declaredFields({ n: 'number', ok: 'boolean', takenAt: 'string', note: 'string' });

const row = (name: string, texts: readonly string[], changed: Partial<RecordRow> = {}): RecordRow => ({
  id: name,
  name,
  kind: 'thing',
  shapeName: 'Reading',
  version: 1,
  isActive: true,
  updatedAt: 0,
  about: undefined,
  cells: texts.map((text) => ({ kind: 'text', text })),
  ...changed,
});

const widths = (...asked: Parameters<typeof tableColumns>) =>
  Object.fromEntries(tableColumns(...asked).map(({ label, width }) => [label, width]));

describe('columns of the table', () => {
  const shown = { columns: COLUMNS, hasAbout: false, hasWords: false };
  const rows = [row('Reading/a', ['7', 'true', '2026-03-01T12:30:00Z', 'x'.repeat(120)])];

  it('are as wide as what stands in them, and never wider than a text can be read', () => {
    expect(widths(shown, rows)).toEqual({
      Name: 9,
      Kind: 5,
      n: 4,
      ok: 4,
      takenAt: 20,
      note: 36,
      Version: 7,
      Updated: 14,
    });
    expect(widths(shown, [])).toMatchObject({ Name: 4, n: 4, takenAt: 7, Version: 7 });
  });

  it('have room for names, for what is retracted, and for what a row is about', () => {
    const said = row('Belief/cave-by-mara', [], { isActive: false, about: 'Location/cave@v1' });
    expect(widths({ ...shown, hasAbout: true }, [said])).toMatchObject({ Name: 31, About: 16 });
    expect(widths(shown, [row('R/'.padEnd(200, 'x'), [])])).toMatchObject({ Name: 48 });
  });

  it('are other ones of any shape, and where words were searched for', () => {
    const any = { columns: undefined, hasAbout: false, hasWords: false };
    expect(Object.keys(widths(any, rows))).toEqual(['Name', 'Shape', 'Kind', 'Data', 'Version', 'Updated']);
    expect(Object.keys(widths({ ...any, hasWords: true }, rows))).toEqual([
      'Name',
      'Found in',
      'Shape',
      'Kind',
      'Version',
      'Updated',
    ]);
  });

  it('give way where there is no room, the widest texts first, unless that is not enough', () => {
    const asked = tableColumns(shown, [
      ...rows,
      row('R/'.padEnd(200, 'x'), ['1234567', 'true', '2026-03-01T12:30:00Z', 'x'.repeat(30)]),
    ]);
    const within = (digits: number) => fittedColumns(asked, digits).map(({ width }) => width);
    expect(within(141)).toEqual([48, 5, 7, 4, 20, 36, 7, 14]);
    expect(within(121)).toEqual([32, 5, 7, 4, 20, 32, 7, 14]);
    expect(within(89)).toEqual([24, 5, 7, 4, 14, 14, 7, 14]);
    expect(within(88)).toEqual([48, 5, 7, 4, 20, 36, 7, 14]);
  });

  it('have names without a long shape that all rows have', () => {
    const shapeName = 'MeasurementOfTheDeepWaterStation';
    const long = row(`${shapeName}/a`, [], { shapeName });
    expect([nameInTable(long, false), nameInTable(long, true)]).toEqual(['a', `${shapeName}/a`]);
    expect(nameInTable(row('Reading/a', []), false)).toBe('Reading/a');
    expect(widths(shown, [long])).toMatchObject({ Name: 4 });
  });

  it('grow when the list is read anew, and never shrink', () => {
    const [narrow, wide] = [tableColumns(shown, []), tableColumns(shown, rows)];
    expect(grownColumns(wide, narrow)).toEqual(wide);
    expect(grownColumns(narrow, wide)).toEqual(wide);
  });
});
