// The columns of the table of records, and how wide each is: as wide as what stands in it among the first rows, so that numbers
// take little room and texts have more. What comes further down is never looked at, and no column moves while one scrolls.
import type { DeclaredField } from './declared-field.ts';
import type { RecordRow } from './row.ts';

export interface TableColumn {
  readonly label: string;
  /** Of a field: its type. */
  readonly type?: string;
  /** How many digits wide. */
  readonly width: number;
}

/** What the rows show. */
export interface Shown {
  /** Absent where they are of any shape. */
  readonly columns: readonly DeclaredField[] | undefined;
  readonly hasAbout: boolean;
  readonly hasWords: boolean;
}

const LEAST = 4;
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
  const cell = (at: number) => (row: RecordRow) => row.cells[at]?.text ?? '';
  const fields = columns?.map(({ path, type }, at) => ({ ...column(path, cell(at)), type }));
  const summary = hasWords ? [] : [column('Data', cell(0), SUMMARY_MOST)];
  return [
    column('Name', ({ name, isActive }) => (isActive ? name : name + RETRACTED), NAME_MOST),
    ...(hasWords ? [column('Found in', ({ snippet }) => snippet?.text ?? '', SUMMARY_MOST)] : []),
    ...(columns === undefined ? [column('Shape', ({ shapeName = '' }) => shapeName)] : []),
    column('Kind', ({ kind }) => kind),
    ...(hasAbout ? [column('About', ({ about }) => about ?? 'hidden from you')] : []),
    ...(fields ?? summary),
    column('Version', ({ version }) => String(version)),
    column('Updated', () => '59 minutes ago'),
  ];
}

/** The same list read anew: columns may grow, and none becomes narrower under the eyes of the reader. */
export const grownColumns = (before: readonly TableColumn[], now: readonly TableColumn[]): readonly TableColumn[] =>
  now.map((column) => {
    const width = before.find(({ label, type }) => label === column.label && type === column.type)?.width ?? 0;
    return width > column.width ? { ...column, width } : column;
  });
