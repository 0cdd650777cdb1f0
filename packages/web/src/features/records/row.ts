// A table row holds only what it shows, so that many pages fit into memory.
import type { DeclaredField } from '@cairn/model/declaration';
import { valueAt } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import type { ListedRecord, RecordItem, Snippet } from '@cairn/sdk';
import { beginningOf } from '../../ui/unseen.ts';
import { targetHere } from '../record/wref.ts';

interface Reference {
  readonly wref: string;
  readonly target: string | undefined;
}

export interface Cell {
  readonly kind: 'text' | 'number' | 'wref' | 'empty' | 'none';
  readonly text: string;
  readonly references?: readonly Reference[];
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
  /** Null if hidden. */
  readonly about: string | null | undefined;
  readonly aboutTarget?: string | undefined;
  readonly cells: readonly Cell[];
  readonly snippet?: Snippet | undefined;
}

const CELL_CHARACTERS = 120;
const SUMMARY_CHARACTERS = 240;
const EMPTY_CELL: Cell = { kind: 'none', text: '' };

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

export const targetsOfRow = ({ aboutTarget, cells }: RecordRow): string[] =>
  [aboutTarget, ...cells.flatMap(({ references = [] }) => references.map(({ target }) => target))].filter(
    (target) => target !== undefined,
  );

interface ReferringData {
  readonly data: unknown;
  readonly refs: ReadonlyMap<string, string>;
}

function cellAt({ data, refs }: ReferringData, { steps, type }: DeclaredField): Cell {
  const pointer = steps.reduce<string>(pointerTo, '');
  const value = valueAt(data, pointer);
  if (value === undefined || value === null) return EMPTY_CELL;
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  if (value === '') return { kind: 'empty', text: 'empty text' };
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

const MORE = '…';
const cut = (text: string, most: number): string => (text.length <= most ? text : `${beginningOf(text, most)}${MORE}`);

/** Shows a value in one line, as JSON without most quotes. Stops early for large values. */
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

// Column widths come from the first rows and never change while scrolling.

export interface TableColumn {
  readonly label: string;
  readonly type?: string;
  readonly width: number;
  readonly least?: number;
}

export interface ShownColumns {
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
const LABEL_MOST = 20;
const RETRACTED = ' retracted  ';

export function tableColumns(
  { columns, hasAbout, hasWords }: ShownColumns,
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

const SHAPE_MOST = 24;

export function nameInTable({ name, shapeName = '' }: RecordRow, isOfAnyShape: boolean): string {
  const isLeftOut = !isOfAnyShape && shapeName.length > SHAPE_MOST && name.startsWith(`${shapeName}/`);
  return isLeftOut ? name.slice(shapeName.length + 1) : name;
}

/** Shrinks the widest texts first. If that is not enough, the table scrolls. */
export function fittedColumns(columns: readonly TableColumn[], digits: number): readonly TableColumn[] {
  const narrowed = ({ width, least = width }: TableColumn, most: number) => Math.min(width, Math.max(least, most));
  const sum = (most: number) => columns.reduce((all, column) => all + narrowed(column, most), 0);
  const widest = Math.max(0, ...columns.map(({ width }) => width));
  let most = widest;
  while (most > TEXT_LEAST && sum(most) > digits) most--;
  if (most === widest || sum(most) > digits) return columns;
  return columns.map((column) => ({ ...column, width: narrowed(column, most) }));
}

export const grownColumns = (before: readonly TableColumn[], now: readonly TableColumn[]): readonly TableColumn[] =>
  now.map((column) => {
    const width = before.find(({ label, type }) => label === column.label && type === column.type)?.width ?? 0;
    return width > column.width ? { ...column, width } : column;
  });

interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
  readonly start: number;
}

const LEAD_CHARACTERS = 24;

export function piecesOf({ text, matches }: Pick<Snippet, 'text' | 'matches'>): SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
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

/** At the start of a word if possible, never within a surrogate pair. */
function leadStart(text: string, first: number): number {
  const earliest = first - LEAD_CHARACTERS;
  const space = text.slice(earliest - 1, first).search(/(?<=\s)\S/);
  if (space !== -1) return earliest - 1 + space;
  return /^[\udc00-\udfff]/.test(text.slice(earliest)) ? earliest + 1 : earliest;
}
