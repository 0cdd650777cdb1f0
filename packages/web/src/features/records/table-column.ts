// The columns of the table of records, and how wide each is: as wide as what stands in it among the first rows, so that numbers
// take little room and texts have more. What comes further down is never looked at, and no column moves while one scrolls.
import type { DeclaredField } from '../shape/declared-field.ts';
import type { RecordRow } from './row.ts';

export interface TableColumn {
  readonly label: string;
  /** Of a field: its type. */
  readonly type?: string;
  /** How many digits wide. */
  readonly width: number;
  /** Of a text, which can be cut: how narrow it may become where there is no room. */
  readonly least?: number;
}

/** What the rows show. */
export interface Shown {
  /** Absent where they are of any shape. */
  readonly columns: readonly DeclaredField[] | undefined;
  readonly hasAbout: boolean;
  readonly hasWords: boolean;
}

const LEAST = 4;
const NAME_LEAST = 24;
const TEXT_LEAST = 14;
const NAME_MOST = 48;
const TEXT_MOST = 36;
const SUMMARY_MOST = 56;
/** A longer name of a field is cut, and told to who points at it. */
const LABEL_MOST = 20;
const RETRACTED = ' retracted  ';

export function tableColumns(
  { columns, hasAbout, hasWords }: Shown,
  rows: readonly RecordRow[],
): readonly TableColumn[] {
  const column = (label: string, textOf: (row: RecordRow) => string, most = TEXT_MOST): TableColumn => {
    const longest = rows.reduce((width, row) => Math.max(width, textOf(row).length), LEAST);
    return { label, width: Math.max(Math.min(label.length, LABEL_MOST), Math.min(longest, most)) };
  };
  const textColumn = (...asked: Parameters<typeof column>): TableColumn => ({ ...column(...asked), least: TEXT_LEAST });
  const nameOf = (row: RecordRow) => nameInTable(row, columns === undefined) + (row.isActive ? '' : RETRACTED);
  const cell = (at: number) => (row: RecordRow) => row.cells[at]?.text ?? '';
  const fields = columns?.map(({ path, type }, at) => ({
    ...(type === 'number' ? column : textColumn)(path, cell(at)),
    type,
  }));
  const summary = hasWords ? [] : [textColumn('Data', cell(0), SUMMARY_MOST)];
  return [
    { ...column('Name', nameOf, NAME_MOST), least: NAME_LEAST },
    ...(hasWords ? [textColumn('Found in', ({ snippet }) => snippet?.text ?? '', SUMMARY_MOST)] : []),
    ...(columns === undefined ? [textColumn('Shape', ({ shapeName = '' }) => shapeName)] : []),
    column('Kind', ({ kind }) => kind),
    ...(hasAbout ? [textColumn('About', ({ about }) => about ?? 'hidden from you')] : []),
    ...(fields ?? summary),
    column('Version', ({ version }) => String(version)),
    column('Updated', () => '59 minutes ago'),
  ];
}

/** A longer name of a shape would leave no room for what tells its records apart. */
const SHAPE_MOST = 24;

/** The name of a record; without its shape, if that is long and the same in all rows. */
export function nameInTable({ name, shapeName = '' }: RecordRow, isOfAnyShape: boolean): string {
  const isLeftOut = !isOfAnyShape && shapeName.length > SHAPE_MOST && name.startsWith(`${shapeName}/`);
  return isLeftOut ? name.slice(shapeName.length + 1) : name;
}

/**
 * Within so many digits, where that can be: the widest texts give way first, and none so far that it could not be read. As
 * they are where not even that is enough: then the table is scrolled.
 */
export function fittedColumns(columns: readonly TableColumn[], digits: number): readonly TableColumn[] {
  const narrowed = ({ width, least = width }: TableColumn, most: number) => Math.min(width, Math.max(least, most));
  const sum = (most: number) => columns.reduce((all, column) => all + narrowed(column, most), 0);
  const widest = Math.max(0, ...columns.map(({ width }) => width));
  let most = widest;
  while (most > TEXT_LEAST && sum(most) > digits) most--;
  if (most === widest || sum(most) > digits) return columns;
  return columns.map((column) => ({ ...column, width: narrowed(column, most) }));
}

/** The same list read anew: columns may grow, and none becomes narrower under the eyes of the reader. */
export const grownColumns = (before: readonly TableColumn[], now: readonly TableColumn[]): readonly TableColumn[] =>
  now.map((column) => {
    const width = before.find(({ label, type }) => label === column.label && type === column.type)?.width ?? 0;
    return width > column.width ? { ...column, width } : column;
  });
