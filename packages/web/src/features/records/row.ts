// One row of the table of records: of a record, only as much as its row shows, so that many pages of large records take little
// room.
import { pointerTo } from '@cairn/protocol/json-pointer';
import type { ListedRecord, RecordItem, Snippet } from '@cairn/sdk';
import { targetHere } from '../record/wref.ts';
import type { DeclaredField } from '../shape/declaration.ts';

export interface Reference {
  readonly wref: string;
  /** Its durable ID, where the record is here. */
  readonly target: string | undefined;
}

export interface Cell {
  readonly kind: 'text' | 'number' | 'wref' | 'empty' | 'none';
  readonly text: string;
  /** One, or those that a list begins with. */
  readonly references?: readonly Reference[];
  /** Whether the list goes on. */
  readonly isCut?: boolean;
}

export interface RecordRow {
  readonly id: string;
  readonly name: string;
  readonly kind: RecordItem['kind'];
  readonly shapeName: string | undefined;
  readonly version: number;
  readonly isActive: boolean;
  readonly updatedAt: number;
  /** Of an assertion: what it is about; null where that is hidden. */
  readonly about: string | null | undefined;
  /** Its durable ID, where it is here. */
  readonly aboutTarget?: string | undefined;
  /** One for each column; without columns, the data in short alone. */
  readonly cells: readonly Cell[];
  /** Where the words of a search stand. */
  readonly snippet?: Snippet | undefined;
}

const CELL_CHARACTERS = 120;
const SUMMARY_CHARACTERS = 240;
const NONE: Cell = { kind: 'none', text: '' };

export function toRow(item: ListedRecord | RecordItem, columns: readonly DeclaredField[] | undefined): RecordRow {
  const { durableId, name, kind, shapeName, version, active, versionCreatedAt, aboutWref, aboutDurableId, data } = item;
  const refs = new Map(item.refs);
  return {
    id: durableId,
    name,
    kind,
    shapeName,
    version,
    isActive: active,
    updatedAt: versionCreatedAt,
    about: aboutWref,
    aboutTarget: targetHere(aboutWref, aboutDurableId),
    cells: columns?.map((column) => cellAt({ data, refs }, column)) ?? [
      { kind: 'text', text: shortOf(data, SUMMARY_CHARACTERS) },
    ],
    ...('snippet' in item && { snippet: item.snippet }),
  };
}

/** What the row refers to here, as far as it shows it; by durable ID. */
export const targetsOfRow = ({ aboutTarget, cells }: RecordRow): string[] =>
  [aboutTarget, ...cells.flatMap(({ references = [] }) => references.map(({ target }) => target))].filter(
    (target) => target !== undefined,
  );

interface ReferringData {
  readonly data: unknown;
  /** By JSON pointer. */
  readonly refs: ReadonlyMap<string, string>;
}

function cellAt({ data, refs }: ReferringData, { steps, type }: DeclaredField): Cell {
  const value = steps.reduce<unknown>(within, data);
  if (value === undefined || value === null) return NONE;
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  if (value === '') return { kind: 'empty', text: 'empty text' };
  const pointer = steps.reduce<string>(pointerTo, '');
  if (type === 'wref' && typeof value === 'string') {
    return { kind: 'wref', text: value, references: [{ wref: value, target: targetHere(value, refs.get(pointer)) }] };
  }
  const listed = Array.isArray(value)
    ? referencesIn(value, (index) => refs.get(pointerTo(pointer, String(index))))
    : [];
  if (listed.length > 0) {
    const text = listed.map(({ wref }) => wref).join(', ');
    return { kind: 'wref', text, references: listed, isCut: listed.length < (value as unknown[]).length };
  }
  return {
    kind: 'text',
    text: typeof value === 'string' ? cut(value, CELL_CHARACTERS) : shortOf(value, CELL_CHARACTERS),
  };
}

/** Of a list of nothing but references: as many as a cell has room for. */
function referencesIn(list: readonly unknown[], idAt: (index: number) => string | undefined): Reference[] {
  const found: Reference[] = [];
  let characters = 0;
  for (const [index, wref] of list.entries()) {
    const id = idAt(index);
    if (typeof wref !== 'string' || id === undefined) return [];
    characters += wref.length;
    if (found.length > 0 && characters > CELL_CHARACTERS) return found;
    found.push({ wref, target: targetHere(wref, id) });
  }
  return found;
}

const within = (value: unknown, step: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Record<string, unknown>)[step]
    : undefined;

const MORE = '…';

/** Not through the middle of a character that takes two places. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}${MORE}`;
}

/** A value in a line: like JSON, without the quotes around names and texts. Of what is large only the beginning is looked at. */
export function shortOf(value: unknown, most: number): string {
  const pieces = new Pieces(most);
  write(value, pieces, true);
  return cut(pieces.text, most);
}

class Pieces {
  text = '';
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.text.length > this.#most;
  }

  add(piece: string): void {
    this.text += piece.length > this.#most ? piece.slice(0, this.#most + 1) : piece;
  }
}

function write(value: unknown, into: Pieces, isOutermost = false): void {
  if (typeof value !== 'object' || value === null) into.add(String(value));
  else if (Array.isArray(value))
    writeEach(value, into, { open: '[', close: ']', isOutermost, item: (item) => write(item, into) });
  else {
    const item = ([name, member]: [string, unknown]) => {
      into.add(`${name}: `);
      write(member, into);
    };
    writeEach(Object.entries(value), into, { open: '{ ', close: ' }', isOutermost, item });
  }
}

interface Listed<Item> {
  readonly open: string;
  readonly close: string;
  /** It needs nothing around it. */
  readonly isOutermost: boolean;
  readonly item: (item: Item) => void;
}

function writeEach<Item>(items: readonly Item[], into: Pieces, { open, close, isOutermost, item }: Listed<Item>): void {
  if (!isOutermost) into.add(open);
  for (const [index, one] of items.entries()) {
    if (into.isFull) return;
    if (index > 0) into.add(', ');
    item(one);
  }
  if (!isOutermost) into.add(close);
}

// The columns of the table of records, and how wide each is: as wide as what stands in it among the first rows, so that numbers
// take little room and texts have more. What comes further down is never looked at, and no column moves while one scrolls.

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

interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
  readonly start: number;
}

/** So much stands before the first match: more would push it out of a narrow column. */
const LEAD_CHARACTERS = 24;

/** A snippet cut into what was searched for and what stands between. */
export function piecesOf({ text, matches }: Pick<Snippet, 'text' | 'matches'>): Piece[] {
  const pieces: Piece[] = [];
  const [[first = 0] = []] = matches;
  let reached = first > LEAD_CHARACTERS ? leadStart(text, first) : 0;
  if (reached > 0) pieces.push({ text: '…', isMatch: false, start: -1 });
  for (const [start, end] of matches) {
    if (start > reached) pieces.push({ text: text.slice(reached, start), isMatch: false, start: reached });
    pieces.push({ text: text.slice(start, end), isMatch: true, start });
    reached = end;
  }
  if (reached < text.length) pieces.push({ text: text.slice(reached), isMatch: false, start: reached });
  return pieces;
}

/** At the beginning of a word, if there is one, and never between the two halves of a character. */
function leadStart(text: string, first: number): number {
  const earliest = first - LEAD_CHARACTERS;
  const space = text.slice(earliest - 1, first).search(/(?<=\s)\S/);
  if (space !== -1) return earliest - 1 + space;
  return /^[\udc00-\udfff]/.test(text.slice(earliest)) ? earliest + 1 : earliest;
}
